/** Sessions: opening, losing and regaining them, and knowing when the server is gone. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  ALIVE_WITHIN,
  PING_EVERY,
  PONG_WITHIN,
  WELCOME_WITHIN,
  waitBefore,
} from "../src/connection.ts";
import { Client } from "../src/index.ts";
import { VERSION } from "../src/messages.ts";
import { memoryStorage } from "../src/storage.ts";
import {
  ADA,
  FakeTime,
  ScriptedServer,
  clientOf,
  openedClient,
  saidNothing,
  takenIn,
  until,
} from "./server.ts";

let server: ScriptedServer;
let time: FakeTime;
let client: Client;
beforeEach(() => {
  server = new ScriptedServer();
  time = new FakeTime();
});
afterEach(() => {
  client.close();
  server.stop();
  vi.unstubAllGlobals();
});

const waiting = () => until(client.status, (status) => status === "waiting");

test("a guest says hello without a token, keeps the one it gets, and shows it the next time", async () => {
  const storage = memoryStorage();
  client = await clientOf(server, { storage, name: "Ada", ...time });
  expect(client.status.get()).toBe("connecting");
  client.connect();
  const first = await server.session();
  expect(await first.welcome()).toMatchObject({ version: VERSION, token: null, name: "Ada" });
  await until(client.status, (status) => status === "open");
  expect(storage.load()).toBe("token-1");
  expect(client.player.get()).toEqual(ADA);

  first.drop();
  await waiting();
  time.pass(300);
  const second = await server.session();
  expect(await second.welcome()).toMatchObject({ token: "token-1", name: null });
  await until(client.status, (status) => status === "open");
});

test("a token that the server did not sign is forgotten", async () => {
  const storage = memoryStorage("forged");
  client = await clientOf(server, { storage, ...time });
  client.connect();
  const session = await server.session();
  const { re, token } = await session.command("Hello");
  expect(token).toBe("forged");
  session.say({ type: "Refused", re, code: "bad_token", text: "Not ours.", wait: 0 });
  expect(await session.welcome()).toMatchObject({ token: null });
  await until(client.status, (status) => status === "open");
});

test("a name that the server does not take is left to the server", async () => {
  client = await clientOf(server, { name: "\0", ...time });
  client.connect();
  const session = await server.session();
  const { re } = await session.command("Hello");
  session.say({ type: "Refused", re, code: "bad_name", text: "No.", wait: 0 });
  expect(await session.welcome()).toMatchObject({ name: null });
});

test.each([
  [4001, "replaced"],
  [4002, "incompatible"],
])("after the close code %i it is %s, and stays away until asked", async (code, status) => {
  const [opened, session] = await openedClient(server, { ...time });
  client = opened;
  session.close(code);
  await until(client.status, (now) => now === status);
  expect(time.timers.size).toBe(0);
  client.connect();
  expect(client.status.get()).toBe("connecting");
  await (await server.session()).welcome();
  await until(client.status, (now) => now === "open");
});

test("a refused version is incompatible before the socket closes", async () => {
  client = await clientOf(server, { ...time });
  client.connect();
  const session = await server.session();
  const { re } = await session.command("Hello");
  session.say({ type: "Refused", re, code: "bad_version", text: "Too new.", wait: 0 });
  await until(client.status, (status) => status === "incompatible");
});

test("a server that never welcomes is left, and tried again", async () => {
  client = await clientOf(server, { ...time });
  client.connect();
  const mute = await server.session();
  await mute.command("Hello");
  time.pass(WELCOME_WITHIN);
  expect(client.status.get()).toBe("waiting");
  await mute.closed;
  time.pass(300);
  await (await server.session()).welcome();
  await until(client.status, (status) => status === "open");
});

test("a silent server is found out by its missing pong", async () => {
  const [opened, session] = await openedClient(server, { ...time });
  client = opened;
  for (let round = 0; round < 2; round++) {
    time.pass(PING_EVERY);
    const { re } = await session.command("Ping");
    expect(time.timers.size).toBe(1);
    session.say({ type: "Pong", re, now: 0 });
    await takenIn(client, session);
  }
  time.pass(PING_EVERY);
  await session.command("Ping");
  time.pass(PONG_WITHIN - 1);
  expect(client.status.get()).toBe("open");
  time.pass(1);
  expect(client.status.get()).toBe("waiting");
  await session.closed;
});

test("the server's time is that of the shortest trip", async () => {
  client = await clientOf(server, { ...time });
  client.connect();
  const session = await server.session();
  const hello = await session.command("Hello");
  time.pass(400);
  session.say({ type: "Welcome", re: hello.re, player: ADA, token: "t", now: 5_000_000 });
  await until(client.status, (status) => status === "open");
  expect(client.now()).toBe(5_000_200);

  const pong = async (trip: number, now: number): Promise<void> => {
    time.pass(PING_EVERY);
    const { re } = await session.command("Ping");
    time.pass(trip);
    session.say({ type: "Pong", re, now });
    await takenIn(client, session);
  };
  await pong(100, 6_000_000);
  expect(client.now()).toBe(6_000_050);
  await pong(2_000, 9_000_000);
  expect(client.now()).toBe(6_000_050 + PING_EVERY + 2_000);
});

test("frames that are no known event are ignored", async () => {
  const [opened, session] = await openedClient(server, { ...time });
  client = opened;
  session.sayRaw("text");
  session.sayRaw(new Uint8Array([0xc1]));
  session.sayRaw(new Uint8Array([0x80]));
  session.sayRaw(new Uint8Array([0x90]));
  session.sayRaw(new Uint8Array([0x91, 0xc0]));
  session.sayRaw(new Uint8Array([0x92, 0x05, 0x00])); // a room without its fields
  session.sayRaw(new Uint8Array([0x93, 0x1f, 0x00, 0xc3]));
  await takenIn(client, session);
  expect(client.status.get()).toBe("open");
});

test("a closed client stays closed, though the network comes back", async () => {
  const [opened, session] = await openedClient(server, { ...time });
  client = opened;
  client.close();
  await session.closed;
  expect(client.status.get()).toBe("waiting");
  expect(time.timers.size).toBe(0);
});

test("the wait grows to at most 10 seconds, and is spread", () => {
  expect(waitBefore(0, false, 0)).toBe(0);
  expect(waitBefore(0, false, 0.999)).toBe(999);
  expect(waitBefore(3, false, 0.999)).toBeGreaterThan(waitBefore(2, false, 0.999));
  for (const chance of [0, 0.5, 0.999]) {
    expect(waitBefore(50, false, chance)).toBeGreaterThanOrEqual(200);
    expect(waitBefore(50, false, chance)).toBeLessThanOrEqual(10_000);
  }
  expect(waitBefore(0, true, 0.5)).toBeGreaterThan(5_000);
});

test("the first tries come within two seconds all together, however unlucky", () => {
  const waits = [0, 1, 2].map((failures) => waitBefore(failures, false, 0.999));
  expect(waits.reduce((sum, wait) => sum + wait)).toBeLessThan(1_900);
});

test("after a restart the first tries are spread over a second", async () => {
  const [opened, session] = await openedClient(server, { ...time, random: () => 0.9 });
  client = opened;
  session.say({ type: "Bye", code: "going_away", text: "Back soon.", wait: 0 });
  session.close(1001);
  await waiting();
  time.pass(899);
  expect(client.status.get()).toBe("waiting");
  time.pass(1);
  await (await server.session()).welcome();
  await until(client.status, (status) => status === "open");
});

test("a server that says when to come back is believed, once", async () => {
  const [opened, session] = await openedClient(server, { ...time });
  client = opened;
  session.say({ type: "Bye", code: "going_away", text: "Back soon.", wait: 4_200 });
  session.close(1001);
  await waiting();
  time.pass(4_199);
  expect(client.status.get()).toBe("waiting");
  time.pass(1);
  const full = await server.session();
  const { re } = await full.command("Hello");
  full.say({ type: "Refused", re, code: "overloaded", text: "Full.", wait: 7_000 });
  await waiting();
  time.pass(6_999);
  expect(client.status.get()).toBe("waiting");
  time.pass(1);
  const third = await server.session();
  await third.welcome();
  await until(client.status, (status) => status === "open");
  third.drop();
  await waiting();
  time.pass(200);
  expect(client.status.get()).toBe("connecting");
});

/** A page in a browser, as far as the client looks at it. */
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

const awakenings: [string, (page: StubbedPage) => void][] = [
  ["the network is back", ({ window }) => window.dispatchEvent(new Event("online"))],
  ["the page is seen", ({ document }) => document.dispatchEvent(new Event("visibilitychange"))],
  ["the page was kept", ({ window }) => window.dispatchEvent(persisted(true))],
  ["the network is another", (p) => p.navigator.connection.dispatchEvent(new Event("change"))],
];

test.each(awakenings)(
  "when %s, the session is looked at, and dialled anew if mute",
  async (_, wake) => {
    const page = stubPage();
    const [opened, session] = await openedClient(server, { ...time });
    client = opened;
    wake(page);
    const ping = await session.command("Ping");
    session.say({ type: "Pong", re: ping.re, now: 0 });
    await takenIn(client, session);
    time.pass(ALIVE_WITHIN);
    expect(client.status.get()).toBe("open");

    wake(page);
    await session.command("Ping");
    time.pass(ALIVE_WITHIN - 1);
    wake(page); // which does not put it off
    expect(client.status.get()).toBe("open");
    time.pass(1);
    expect(client.status.get()).toBe("connecting");
    await session.closed;
    await (await server.session()).welcome();
    await until(client.status, (status) => status === "open");
  },
);

test("a ping that is on its way when the page wakes has less time for its pong", async () => {
  const page = stubPage();
  const [opened, session] = await openedClient(server, { ...time });
  client = opened;
  time.pass(PING_EVERY);
  await session.command("Ping");
  page.window.dispatchEvent(new Event("online"));
  time.pass(ALIVE_WITHIN);
  expect(client.status.get()).toBe("connecting");
  expect(await session.any()).toBeNull();
});

test("a dial that hangs when the page wakes is given up, once", async () => {
  const page = stubPage();
  client = await clientOf(server, { ...time });
  client.connect();
  const mute = await server.session();
  await mute.command("Hello");
  page.window.dispatchEvent(new Event("online"));
  time.pass(ALIVE_WITHIN);
  await mute.closed;
  const slow = await server.session();
  await slow.command("Hello");
  time.pass(WELCOME_WITHIN - 1);
  expect(client.status.get()).toBe("connecting");
});

test("a connection that turns out to be lost when the page wakes is dialled anew at once", async () => {
  const page = stubPage();
  const [opened, session] = await openedClient(server, { ...time, random: () => 0.9 });
  client = opened;
  page.document.dispatchEvent(new Event("visibilitychange"));
  await session.command("Ping");
  session.drop();
  await (await server.session()).welcome();
  await until(client.status, (status) => status === "open");
});

test("a client that waits for its next try dials when the page wakes", async () => {
  const page = stubPage();
  const [opened, session] = await openedClient(server, { ...time });
  client = opened;
  session.drop();
  await waiting();
  page.document.dispatchEvent(new Event("visibilitychange"));
  expect(client.status.get()).toBe("connecting");
});

test("a page that is hidden, first shown or closed wakes nothing", async () => {
  const page = stubPage();
  const [opened, session] = await openedClient(server, { ...time });
  client = opened;
  page.document.visibilityState = "hidden";
  page.document.dispatchEvent(new Event("visibilitychange"));
  page.window.dispatchEvent(persisted(false));
  await saidNothing(client, session);
  client.close();
  page.window.dispatchEvent(new Event("online"));
  expect(client.status.get()).toBe("waiting");
});
