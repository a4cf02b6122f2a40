/** Device ids, and the notation of times of day and zones. */

import { expect, it } from "vitest";
import { browserOf, minutesOf, offsetZone, timeOf, zone } from "../src/account/push.ts";
import { deviceId } from "../src/offline/remembered.ts";

it("identifies a device by the server's id", async () => {
  // The example in `server/PROTOCOL.md`.
  const endpoint = "https://updates.push.services.mozilla.com/wpush/v2/gAAAAAB";
  expect(await deviceId(endpoint)).toBe("0a493af05863f149");
});

it.each([
  [0, "00:00"],
  [420, "07:00"],
  [1_439, "23:59"],
])("writes %d minutes as %s, and reads them back", (minutes, time) => {
  expect(timeOf(minutes)).toBe(time);
  expect(minutesOf(time)).toBe(minutes);
});

it("rejects other texts as times", () => {
  expect(minutesOf("")).toBeNull();
});

it.each([
  [0, "+00:00"],
  [-60, "+01:00"],
  [210, "-03:30"],
])("writes %d minutes behind UTC as the zone %s", (behind, written) => {
  const at = new Date(0);
  at.getTimezoneOffset = () => behind;
  expect(offsetZone(at)).toBe(written);
});

it("knows its time zone by name", () => {
  expect(zone()).toMatch(/^[A-Za-z]/);
});

it.each([
  ["fcm.googleapis.com", "Chrome"],
  ["updates.push.services.mozilla.com", "Firefox"],
  ["web.push.apple.com", "Safari"],
  ["wns2-par02p.notify.windows.com", "Edge"],
  ["push.example.org", null],
])("names the browser of %s %s", (service, name) => {
  expect(browserOf(service)).toBe(name);
});
