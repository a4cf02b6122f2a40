/** Events of the page that verify the connection immediately. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ALIVE_WITHIN, PING_EVERY, WELCOME_WITHIN } from "../src/connection.ts";
import { expectNoCommand, processed, until } from "./server.ts";
import { client, dial, openSession, serveEachTest, server, session, time } from "./session.ts";

/** Stub the browser globals used by the client. */
function stubPage() {
  const document = Object.assign(new EventTarget(), { visibilityState: "visible" });
  const page = {
    window: new EventTarget(),
    document,
    navigator: { connection: new EventTarget() },
  };
  vi.stubGlobal("window", page.window);
  vi.stubGlobal("document", document);
  vi.stubGlobal("navigator", page.navigator);
  return page;
}

type StubbedPage = ReturnType<typeof stubPage>;
const persisted = (value: boolean) => Object.assign(new Event("pageshow"), { persisted: value });

let page: StubbedPage;
serveEachTest();
beforeEach(() => {
  page = stubPage();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const wakeEvents: [string, (page: StubbedPage) => void][] = [
  ["the network comes back", ({ window }) => window.dispatchEvent(new Event("online"))],
  [
    "the page becomes visible",
    ({ document }) => document.dispatchEvent(new Event("visibilitychange")),
  ],
  ["the page is restored from the cache", ({ window }) => window.dispatchEvent(persisted(true))],
  ["the network changes", (p) => p.navigator.connection.dispatchEvent(new Event("change"))],
];

test.each(wakeEvents)(
  "when %s, the session is pinged, and reopened if there is no pong",
  async (_, wake) => {
    await openSession();
    wake(page);
    const ping = await session.command("Ping");
    session.send({ type: "Pong", re: ping.re, now: 0 });
    await processed(client, session);
    time.advance(ALIVE_WITHIN);
    expect(client.status.get()).toBe("open");

    wake(page);
    await session.command("Ping");
    time.advance(ALIVE_WITHIN - 1);
    wake(page); // does not extend the timeout
    expect(client.status.get()).toBe("open");
    time.advance(1);
    expect(client.status.get()).toBe("connecting");
    await session.closed;
    await (await server.session()).welcome();
    await until(client.status, (status) => status === "open");
  },
);

test("a ping in flight when the page wakes gets the shorter timeout", async () => {
  await openSession();
  time.advance(PING_EVERY);
  await session.command("Ping");
  page.window.dispatchEvent(new Event("online"));
  time.advance(ALIVE_WITHIN);
  expect(client.status.get()).toBe("connecting");
  expect(await session.next()).toBeNull();
});

test("a connection attempt that hangs when the page wakes is aborted, once", async () => {
  await dial();
  await session.command("Hello");
  page.window.dispatchEvent(new Event("online"));
  time.advance(ALIVE_WITHIN);
  await session.closed;
  const slow = await server.session();
  await slow.command("Hello");
  time.advance(WELCOME_WITHIN - 1);
  expect(client.status.get()).toBe("connecting");
});

test("a connection lost while the page wakes is reopened immediately", async () => {
  await openSession({ random: () => 0.9 });
  page.document.dispatchEvent(new Event("visibilitychange"));
  await session.command("Ping");
  session.drop();
  await (await server.session()).welcome();
  await until(client.status, (status) => status === "open");
});

test("a client waiting for its next attempt connects when the page wakes", async () => {
  await openSession();
  session.drop();
  await until(client.status, (status) => status === "waiting");
  page.document.dispatchEvent(new Event("visibilitychange"));
  expect(client.status.get()).toBe("connecting");
});

test("hiding a page, showing it first or closing the client does not wake the connection", async () => {
  await openSession();
  page.document.visibilityState = "hidden";
  page.document.dispatchEvent(new Event("visibilitychange"));
  page.window.dispatchEvent(persisted(false));
  await expectNoCommand(client, session);
  client.close();
  page.window.dispatchEvent(new Event("online"));
  expect(client.status.get()).toBe("waiting");
});
