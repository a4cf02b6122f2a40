/** A client with an open session on a scripted server, new for each test. */

import { afterEach, beforeEach, expect } from "vitest";
import type { Client, ClientOptions } from "../src/index.ts";
import { ROOM, roomState } from "./builders.ts";
import type { Dealer } from "./dealer.ts";
import { FakeTime, ScriptedServer, type Session, clientOf, until } from "./server.ts";

export let server: ScriptedServer;
export let time: FakeTime;
export let client: Client;
export let session: Session;

/** Give each test of the calling file a server and a clock, and close its client afterwards. */
export function serveEachTest(): void {
  beforeEach(() => {
    server = new ScriptedServer();
    time = new FakeTime();
  });
  afterEach(() => {
    (client as Client | undefined)?.close();
    server.stop();
  });
}

/** Also open the session before each test. */
export function openForEachTest(): void {
  serveEachTest();
  beforeEach(() => openSession());
}

/** Create a client, not connected yet. */
export async function createClient(options: Partial<ClientOptions> = {}): Promise<void> {
  client = await clientOf(server, { ...time, ...options });
}

/** Connect a new client, which then awaits its welcome. */
export async function dial(options: Partial<ClientOptions> = {}): Promise<void> {
  await createClient(options);
  client.connect();
  await acceptSession();
}

/** Open a session of a new client. */
export async function openSession(options: Partial<ClientOptions> = {}): Promise<void> {
  await dial(options);
  await session.welcome();
  await until(client.status, (status) => status === "open");
}

/** Accept the client's next session. */
export async function acceptSession(): Promise<void> {
  session = await server.session();
}

/** Drop the connection, and welcome the client to its next session, with this id. */
export async function reconnect(id = "session-2"): Promise<void> {
  session.drop();
  await until(client.status, (status) => status === "waiting");
  time.advance(300);
  await acceptSession();
  await session.welcome(0, id);
  await until(client.status, (status) => status === "open");
}

export async function joinRoom(): Promise<void> {
  const joined = client.joinRoom(ROOM);
  const { re, code } = await session.command("JoinRoom");
  expect(code).toBe(ROOM);
  session.send(roomState({ re, version: 3 }));
  expect(await joined).toMatchObject({ version: 3 });
}

export async function openDaily(dealer: Dealer): Promise<void> {
  const opened = client.openDaily("roosevelt");
  const { re } = await session.command("OpenDaily");
  session.send({ ...dealer.snapshot(), re });
  await opened;
}
