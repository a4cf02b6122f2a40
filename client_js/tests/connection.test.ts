/** Sessions: opening, losing and reopening them, and detecting lost connections. */

import { expect, test, vi } from "vitest";
import { waitBefore } from "../src/backoff.ts";
import { LARGE_WITHIN, PING_EVERY, PONG_WITHIN, WELCOME_WITHIN } from "../src/connection.ts";
import { Client } from "../src/index.ts";
import { VERSION } from "../src/messages.ts";
import { memoryStorage } from "../src/storage.ts";
import { ADA } from "./builders.ts";
import { clientOf, processed, until } from "./server.ts";
import {
  client,
  createClient,
  dial,
  openSession,
  serveEachTest,
  server,
  session,
  time,
} from "./session.ts";

serveEachTest();

const waiting = () => until(client.status, (status) => status === "waiting");

test("a guest sends hello without a token, stores the received one, and sends it next time", async () => {
  const storage = memoryStorage();
  await createClient({ storage, name: "Ada" });
  expect(client.status.get()).toBe("connecting");
  client.connect();
  const first = await server.session();
  expect(await first.welcome()).toMatchObject({ version: VERSION, token: null, name: "Ada" });
  await until(client.status, (status) => status === "open");
  expect(storage.load()).toBe("token-1");
  expect(client.player.get()).toEqual(ADA);

  first.drop();
  await waiting();
  time.advance(300);
  const second = await server.session();
  expect(await second.welcome()).toMatchObject({ token: "token-1", name: null });
  await until(client.status, (status) => status === "open");
});

test("a token exchanged by the server replaces the sent one", async () => {
  const storage = memoryStorage("old.token");
  await dial({ storage });
  expect(await session.welcome()).toMatchObject({ token: "old.token" });
  await until(client.status, (status) => status === "open");
  expect(storage.load()).toBe("token-1");
});

test("clearing the storage keeps the current player, and the token is stored again", async () => {
  const storage = memoryStorage();
  await openSession({ storage });
  storage.save(null);
  session.drop();
  await waiting();
  time.advance(300);
  expect(await (await server.session()).welcome()).toMatchObject({ token: "token-1" });
  await until(client.status, (status) => status === "open");
  expect(storage.load()).toBe("token-1");
});

test("clients sharing a storage become one player: the second one waits for the first", async () => {
  const turns: (() => void)[] = [];
  const turn = (run: () => void) => {
    if (turns.push(run) === 1) run();
    return () => {
      const at = turns.indexOf(run);
      if (at >= 0) turns.splice(at, 1);
      if (at === 0) turns[0]?.();
    };
  };
  const storage = { ...memoryStorage(), turn };
  await createClient({ storage });
  const other = await clientOf(server, { storage, ...time });
  client.connect();
  const first = await server.session();
  other.connect();
  const second = await server.session();
  await vi.waitFor(() => expect(turns).toHaveLength(2));
  expect(await first.welcome()).toMatchObject({ token: null });
  expect(await second.welcome()).toMatchObject({ token: "token-1" });
  await until(other.status, (status) => status === "open");
  expect(turns).toEqual([]);
  other.close();
});

test("without turns, the client welcomed second becomes the first one's player", async () => {
  const storage = memoryStorage();
  await dial({ storage });
  const { re } = await session.command("Hello");
  storage.save("first");
  const guest = { player: ADA, token: "second", now: 0, session: "session-1" };
  session.send({ type: "Welcome", re, ...guest });
  expect(await (await server.session()).welcome()).toMatchObject({ token: "first" });
  await until(client.status, (status) => status === "open");
});

test("a token rejected by the server is dropped", async () => {
  const storage = memoryStorage("forged");
  await dial({ storage });
  const { token } = await session.refuse("Hello", "bad_token", { text: "Not ours." });
  expect(token).toBe("forged");
  expect(await session.welcome()).toMatchObject({ token: null });
  await until(client.status, (status) => status === "open");
});

test("after a name rejected by the server, the server chooses one", async () => {
  await dial({ name: "\0" });
  await session.refuse("Hello", "bad_name");
  expect(await session.welcome()).toMatchObject({ name: null });
});

test.each([
  [4001, "replaced"],
  [4002, "incompatible"],
  [4008, "barred"],
])("after the close code %i the status is %s, until `connect` is called", async (code, status) => {
  await openSession();
  session.close(code);
  await until(client.status, (now) => now === status);
  expect(time.timers.size).toBe(0);
  client.connect();
  expect(client.status.get()).toBe("connecting");
  await (await server.session()).welcome();
  await until(client.status, (now) => now === "open");
});

test.each([
  ["bad_version", "incompatible"],
  ["barred", "barred"],
])("after a hello refused as %s the status is %s immediately", async (code, wanted) => {
  await dial();
  await session.refuse("Hello", code);
  await until(client.status, (status) => status === wanted);
});

test("a connection without a welcome is closed and reopened", async () => {
  await dial();
  await session.command("Hello");
  time.advance(WELCOME_WITHIN);
  expect(client.status.get()).toBe("waiting");
  await session.closed;
  time.advance(300);
  await (await server.session()).welcome();
  await until(client.status, (status) => status === "open");
});

test("a silent server is detected by a missing pong", async () => {
  await openSession();
  for (let round = 0; round < 2; round++) {
    time.advance(PING_EVERY);
    await session.answer("Ping", { type: "Pong", now: 0 });
    expect(time.timers.size).toBe(1);
    await processed(client, session);
  }
  time.advance(PING_EVERY);
  await session.command("Ping");
  time.advance(PONG_WITHIN - 1);
  expect(client.status.get()).toBe("open");
  time.advance(1);
  expect(client.status.get()).toBe("waiting");
  await session.closed;
});

test("a pong may be as late as the large answer before it", async () => {
  await openSession();
  const exported = (await client.account()).exportData();
  const { re } = await session.command("ExportData");
  time.advance(PING_EVERY);
  const ping = await session.command("Ping");
  time.advance(LARGE_WITHIN - 1);
  expect(client.status.get()).toBe("open");
  session.send({ type: "Exported", re, json: "{}" });
  session.send({ type: "Pong", re: ping.re, now: 0 });
  expect(await exported).toBe("{}");
  await processed(client, session);
  time.advance(PING_EVERY);
  await session.command("Ping");
  time.advance(PONG_WITHIN);
  expect(client.status.get()).toBe("waiting");
});

test("the server's time is estimated by the shortest round trip", async () => {
  await dial();
  const hello = await session.command("Hello");
  time.advance(400);
  session.send({
    type: "Welcome",
    re: hello.re,
    player: ADA,
    token: "t",
    now: 5_000_000,
    session: "s",
  });
  await until(client.status, (status) => status === "open");
  expect(client.now()).toBe(5_000_200);

  const pong = async (roundTrip: number, now: number): Promise<void> => {
    time.advance(PING_EVERY);
    const { re } = await session.command("Ping");
    time.advance(roundTrip);
    session.send({ type: "Pong", re, now });
    await processed(client, session);
  };
  await pong(100, 6_000_000);
  expect(client.now()).toBe(6_000_050);
  // Slower, and off by half a second: network latency explains that.
  await pong(2_000, 6_000_050 + PING_EVERY + 500);
  expect(client.now()).toBe(6_000_050 + PING_EVERY + 2_000);
  // A minute of sleep with a stopped local clock is not explained by it.
  await pong(2_000, 6_000_050 + 2 * PING_EVERY + 2_000 + 60_000);
  expect(client.now()).toBe(6_000_050 + 2 * PING_EVERY + 2_000 + 61_000);
});

test("a jump of the machine's clock does not affect reported times", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    const real = new Client({ url: "ws://127.0.0.1:1" });
    const before = real.now();
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(real.now() - before).toBeLessThan(60_000);
  } finally {
    vi.useRealTimers();
  }
});

test("malformed frames and unknown events are ignored", async () => {
  await openSession();
  session.sendRaw("text");
  session.sendRaw(new Uint8Array([0xc1]));
  session.sendRaw(new Uint8Array([0x80]));
  session.sendRaw(new Uint8Array([0x90]));
  session.sendRaw(new Uint8Array([0x91, 0xc0]));
  session.sendRaw(new Uint8Array([0x92, 0x05, 0x00])); // a room without its fields
  session.sendRaw(new Uint8Array([0x93, 0x1f, 0x00, 0xc3]));
  await processed(client, session);
  expect(client.status.get()).toBe("open");
});

test("a closed client does not reconnect", async () => {
  await openSession();
  client.close();
  await session.closed;
  expect(client.status.get()).toBe("waiting");
  expect(time.timers.size).toBe(0);
});

test("the backoff grows to at most 10 seconds, with jitter", () => {
  expect(waitBefore(0, false, 0)).toBe(0);
  expect(waitBefore(0, false, 0.999)).toBe(999);
  expect(waitBefore(3, false, 0.999)).toBeGreaterThan(waitBefore(2, false, 0.999));
  for (const jitter of [0, 0.5, 0.999]) {
    expect(waitBefore(50, false, jitter)).toBeGreaterThanOrEqual(200);
    expect(waitBefore(50, false, jitter)).toBeLessThanOrEqual(10_000);
  }
  expect(waitBefore(0, true, 0.5)).toBeGreaterThan(5_000);
});

test("the first three attempts fall within two seconds, whatever the jitter", () => {
  const waits = [0, 1, 2].map((failures) => waitBefore(failures, false, 0.999));
  expect(waits.reduce((sum, wait) => sum + wait)).toBeLessThan(1_900);
});

test("after a server restart, first attempts are spread over a second", async () => {
  await openSession({ random: () => 0.9 });
  session.send({ type: "Bye", code: "going_away", text: "Back soon.", wait: 0 });
  session.close(1001);
  await waiting();
  time.advance(899);
  expect(client.status.get()).toBe("waiting");
  time.advance(1);
  await (await server.session()).welcome();
  await until(client.status, (status) => status === "open");
});

test("a client waits once for as long as the server says", async () => {
  await openSession();
  session.send({ type: "Bye", code: "going_away", text: "Back soon.", wait: 4_200 });
  session.close(1001);
  await waiting();
  time.advance(4_199);
  expect(client.status.get()).toBe("waiting");
  time.advance(1);
  const full = await server.session();
  await full.refuse("Hello", "overloaded", { text: "Full.", wait: 7_000 });
  await waiting();
  time.advance(6_999);
  expect(client.status.get()).toBe("waiting");
  time.advance(1);
  const third = await server.session();
  await third.welcome();
  await until(client.status, (status) => status === "open");
  third.drop();
  await waiting();
  time.advance(200);
  expect(client.status.get()).toBe("connecting");
});
