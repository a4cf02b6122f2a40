/** A client with an open session on a scripted server, new for each test. */

import { afterEach, beforeEach, expect } from "vitest";
import type { Client, ClientOptions } from "../src/index.ts";
import { ROOM, roomState } from "./builders.ts";
import type { Dealer } from "./dealer.ts";
import { FakeTime, ScriptedServer, type Session, openedClient, reconnected } from "./server.ts";

export let server: ScriptedServer;
export let time: FakeTime;
export let client: Client;
export let session: Session;

/** Open the session before each test of the calling file, and end it afterwards. */
export function openForEachTest(): void {
  beforeEach(async () => {
    server = new ScriptedServer();
    time = new FakeTime();
    await openSession();
  });
  afterEach(() => {
    client.close();
    server.stop();
  });
}

/** Open a session of a new client. */
export async function openSession(options: Partial<ClientOptions> = {}): Promise<void> {
  [client, session] = await openedClient(server, { ...time, ...options });
}

/** Accept the client's next session. */
export async function acceptSession(): Promise<void> {
  session = await server.session();
}

/** Drop the connection, and welcome the client to its next session, with this id. */
export async function reconnect(id?: string): Promise<void> {
  session = await reconnected(client, server, time, session, id);
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
