/** A client that cannot connect: it reports the reason, and keeps trying. */

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { UNREACHABLE_AFTER } from "../src/connection.ts";
import { Client, type ClientOptions, type OpenSocket } from "../src/index.ts";
import { nodeSocket } from "../src/node.ts";
import { memoryStorage } from "../src/storage.ts";
import { ServerNode } from "./node.ts";
import { FakeTime, ScriptedServer, until } from "./server.ts";

let time: FakeTime;
let client: Client;
beforeEach(() => {
  time = new FakeTime();
});
afterEach(() => client.close());

const clientAt = (url: string, options: Partial<ClientOptions> = {}) =>
  new Client({ url, openSocket: nodeSocket, storage: memoryStorage(), ...options });

/** Wait until this many attempts have failed in a row. */
const failed = (tries: number) => until(client.failure, (failure) => failure?.tries === tries);

async function stoppedServer(): Promise<string> {
  const server = new ScriptedServer();
  const url = await server.start();
  server.stop();
  return url;
}

test("a stopped server is unreachable after three attempts, until it runs", async () => {
  const url = await stoppedServer();
  client = clientAt(url, { ...time });
  const statuses: string[] = [];
  client.status.subscribe((status) => statuses.push(status));
  client.connect();
  for (let tries = 1; tries <= UNREACHABLE_AFTER + 1; tries++) {
    expect(await failed(tries)).toMatchObject({ code: 1006 });
    expect(client.failure.get()!.reason).toContain("ECONNREFUSED");
    expect(time.timers.size).toBe(1);
    time.advance(tries === 1 ? 200 : 1_000);
  }
  await failed(UNREACHABLE_AFTER + 2);
  expect(statuses).toEqual([
    ...Array.from({ length: UNREACHABLE_AFTER - 1 }, () => ["connecting", "waiting"]).flat(),
    "connecting",
    "unreachable",
  ]);

  const server = new ScriptedServer(Number(new URL(url).port));
  await server.start();
  time.advance(10_000);
  await (await server.session()).welcome();
  await until(client.status, (status) => status === "open");
  expect(client.failure.get()).toBeNull();
  server.stop();
});

test("the reason is reported for a host name with several addresses, too", async () => {
  const url = (await stoppedServer()).replace("127.0.0.1", "localhost");
  client = clientAt(url, { ...time });
  client.connect();
  await failed(1);
  expect(client.failure.get()!.reason).toContain("ECONNREFUSED");
});

test("losing a session is not a failure", async () => {
  const server = new ScriptedServer();
  client = clientAt(await server.start(), { ...time });
  client.connect();
  const session = await server.session();
  await session.welcome();
  await until(client.status, (status) => status === "open");
  session.drop();
  await until(client.status, (status) => status === "waiting");
  expect(client.failure.get()).toBeNull();
  server.stop();
});

test("a refused hello is a failure with the server's reason", async () => {
  const server = new ScriptedServer();
  client = clientAt(await server.start(), { ...time });
  client.connect();
  const session = await server.session();
  await session.refuse("Hello", "overloaded", { text: "We are full.", wait: 500 });
  expect(await failed(1)).toEqual({ tries: 1, code: null, reason: "We are full." });
  server.stop();
});

test("closing a client clears its failure", async () => {
  client = clientAt(await stoppedServer(), { ...time });
  client.connect();
  await failed(1);
  client.close();
  expect(client.failure.get()).toBeNull();
});

test("a command waits for a session until its timeout", async () => {
  const url = await stoppedServer();
  client = clientAt(url, { ...time, timeout: 5_000 });
  client.connect();
  await failed(1);
  const asked = client.listDailies().catch((error: unknown) => error);
  const room = client.joinRoom("H7KQ2M4X").catch((error: unknown) => error);
  time.advance(4_999);
  const late = client.openDaily("robert").catch((error: unknown) => error);
  time.advance(1);
  const message = expect.stringContaining(`There is no session with ${url}: connect ECONNREFUSED`);
  const cause: unknown = expect.objectContaining({ code: "ECONNREFUSED" });
  expect(await asked).toMatchObject({ code: "unreachable", message, cause });
  expect(await room).toMatchObject({ code: "unreachable", message });
  client.close();
  expect(await late).toMatchObject({ code: "disconnected" });
});

test.each(["https://example.org/socket", "http://example.org", "example.org/socket", "//a/socket"])(
  "%s is not a socket's address",
  (url) => {
    expect(() => clientAt(url)).toThrow(`must start with wss:// or ws://: ${url}`);
    client = clientAt("WS://localhost/socket");
  },
);

test("a command in flight has no timeout, until its session is lost", async () => {
  const server = new ScriptedServer();
  client = clientAt(await server.start(), { ...time, timeout: 5_000 });
  const asked = client.listDailies().catch((error: unknown) => error);
  client.connect();
  const session = await server.session();
  await session.welcome();
  await session.command("ListDailies");
  expect(time.timers.size).toBe(1); // the next ping
  session.drop();
  await until(client.status, (status) => status === "waiting");
  server.stop();
  time.advance(5_000);
  expect(await asked).toMatchObject({ code: "unreachable" });
});

test("a command with an infinite timeout waits until the client is closed", async () => {
  client = clientAt(await stoppedServer(), { ...time, timeout: Infinity });
  const asked = client.listDailies().catch((error: unknown) => error);
  expect(time.timers.size).toBe(0);
  client.close();
  expect(await asked).toMatchObject({ code: "disconnected" });
});

const openForeignSocket: OpenSocket = (url, events) => {
  const socket = new WebSocket(url, { origin: "https://elsewhere.example" });
  let reason = "";
  socket.on("error", (error) => (reason = error.message));
  socket.on("close", (code) => events.closed(code, reason));
  return { send: (frame) => socket.send(frame), close: () => socket.terminate() };
};

let node: ServerNode;
let host: string;
beforeAll(async () => {
  node = new ServerNode();
  host = await node.host();
}, 60_000);
afterAll(() => node.stop());

test.each([
  ["a wrong path", "/sockets", nodeSocket, "404"],
  ["a foreign origin", "/socket", openForeignSocket, "403"],
])("%s makes a real server unreachable", async (_, path, openSocket, status) => {
  client = clientAt(`ws://${host}${path}`, { openSocket, random: () => 0 });
  client.connect();
  await until(client.status, (now) => now === "unreachable");
  expect(client.failure.get()).toMatchObject({ tries: UNREACHABLE_AFTER, code: 1006 });
  expect(client.failure.get()!.reason).toContain(status);
});
