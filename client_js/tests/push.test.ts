/** Notifications: topics and devices. */

import { beforeEach, expect, test } from "vitest";
import type { PushCommands } from "../src/index.ts";
import type { EventOf } from "../src/protocol.ts";
import { client, openForEachTest, session } from "./session.ts";

openForEachTest();
let push: PushCommands;
beforeEach(async () => {
  push = await client.push();
});

const answer = (re: EventOf<"Push">["re"]): EventOf<"Push"> => ({
  ...{ type: "Push", re, key: "BP4z", topics: ["streak"], quiet: null },
  devices: [{ id: "1c0ffee", service: "web.push.apple.com", added: 1_000 }],
});

test("a device subscribes, and receives the chosen topics", async () => {
  const fields = {
    endpoint: "https://web.push.apple.com/a",
    key: "BCVx",
    auth: "BTBZ",
    language: "de",
  };
  const added = push.add(fields);
  const { re, ...sent } = await session.command("AddPush");
  expect(sent).toMatchObject(fields);
  session.send(answer(re));
  expect((await added).devices).toHaveLength(1);
  const quiet = { begin: 1_320, end: 420, zone: "Europe/Berlin" };
  const set = push.set(["streak"], quiet);
  const asked = await session.command("SetPush");
  expect(asked).toMatchObject({ topics: ["streak"], quiet });
  session.send(answer(asked.re));
  expect((await set).key).toBe("BP4z");
});

test("a removed device receives nothing", async () => {
  const removed = push.remove("1c0ffee");
  const { re, device } = await session.command("RemovePush");
  expect(device).toBe("1c0ffee");
  session.send({ ...answer(re), devices: [] });
  expect((await removed).devices).toEqual([]);
});
