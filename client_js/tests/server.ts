/** A server whose every word the test says, and a clock that the test moves. */

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { decode, encode } from "@msgpack/msgpack";
import { type WebSocket, WebSocketServer } from "ws";
import { Client, type ClientOptions } from "../src/client.ts";
import type { Surroundings } from "../src/connection.ts";
import { nodeSocket } from "../src/node.ts";
import {
  COMMANDS,
  type Commands,
  EVENTS,
  FIRST_NUMBER,
  NEWS,
  PROGRESS,
  type Re,
} from "../src/messages.ts";
import type { CommandFields, CommandType, EventFields, EventType } from "../src/protocol.ts";
import { memoryStorage } from "../src/storage.ts";
import { until } from "../src/store.ts";
import { toObject, toRow } from "../src/wire.ts";

export { until };

export const ADA = { id: "k3mq7w2r5t9xkz4b", name: "Ada", tag: "4F2A" };
export const BOB = { id: "zz5n8c1v6m2qx7ap", name: "Bob", tag: "9C01" };

/** A command as it arrives, and what its answer is to name as `re`. What is left out is null. */
export type Heard<T extends CommandType> = CommandFields[T] & { readonly type: T; readonly re: Re };
export type AnyHeard = { [T in CommandType]: Heard<T> }[CommandType];

/** An event to be sent; news if it answers nothing. */
export type Said = {
  [T in EventType]: EventFields[T] & { readonly type: T; readonly re?: Re };
}[EventType];

/** The command in a frame. */
export function decodeCommand(frame: Uint8Array): AnyHeard {
  const row = decode(frame) as unknown[];
  const [first, second] = row as [number, number];
  if (first >= FIRST_NUMBER) {
    return { type: "PlayMove", re: [first, second], ...toObject("PlayMove", row) } as AnyHeard;
  }
  const type = (Object.keys(COMMANDS) as (keyof Commands)[]).find((one) => COMMANDS[one] === first);
  if (type === undefined) throw new RangeError(`There is no command of the kind ${first}.`);
  return { type, re: second, ...toObject(type, row.slice(2)) } as AnyHeard;
}

/** The frame of an event. */
export function encodeEvent(event: Said): Uint8Array {
  if (event.type === "Progress") {
    return encode([
      PROGRESS,
      ...event.counters.flatMap((one) => [one.runner, one.home, one.moves]),
    ]);
  }
  const row = toRow(event.type, event);
  if (event.type !== "Moved") return encode([EVENTS[event.type], event.re ?? NEWS, ...row]);
  while (row.at(-1) === null) row.pop();
  return encode(row);
}

/** Things that come one after another, for a reader that waits for each. */
class Queue<T> {
  readonly #items: T[] = [];
  readonly #readers: ((item: T) => void)[] = [];

  put(item: T): void {
    const reader = this.#readers.shift();
    if (reader) reader(item);
    else this.#items.push(item);
  }

  next(): Promise<T> {
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve(item);
    return new Promise((resolve) => this.#readers.push(resolve));
  }
}

/** The server's end of one socket. */
export class Session {
  readonly #socket: WebSocket;
  readonly #commands = new Queue<AnyHeard | null>();
  readonly closed: Promise<unknown>;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = once(socket, "close");
    socket.on("message", (data) => this.#commands.put(decodeCommand(data as Buffer)));
    socket.on("close", () => this.#commands.put(null));
  }

  /** The next command, which must be of this type. */
  async command<T extends CommandType>(type: T): Promise<Heard<T>> {
    const command = await this.any();
    if (command?.type === type) return command as Heard<T>;
    throw new Error(`${type} was expected, ${command?.type ?? "the end"} came.`);
  }

  /** The next command, or null at the end of the session. */
  any(): Promise<AnyHeard | null> {
    return this.#commands.next();
  }

  say(event: Said): void {
    this.#socket.send(encodeEvent(event));
  }

  sayRaw(frame: Uint8Array | string): void {
    this.#socket.send(frame);
  }

  /** Answer the hello. */
  async welcome(now = 0): Promise<Heard<"Hello">> {
    const hello = await this.command("Hello");
    this.say({ type: "Welcome", re: hello.re, player: ADA, token: "token-1", now });
    return hello;
  }

  close(code: number): void {
    this.#socket.close(code);
  }

  /** Cut the line, without a word. */
  drop(): void {
    this.#socket.terminate();
  }
}

export class ScriptedServer {
  readonly #server: WebSocketServer;
  readonly #sessions = new Queue<Session>();

  constructor(port = 0) {
    this.#server = new WebSocketServer({ port, host: "127.0.0.1" });
    this.#server.on("connection", (socket) => this.#sessions.put(new Session(socket)));
  }

  async start(): Promise<string> {
    if (this.#server.address() === null) await once(this.#server, "listening");
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/socket`;
  }

  session(): Promise<Session> {
    return this.#sessions.next();
  }

  stop(): void {
    for (const socket of this.#server.clients) socket.terminate();
    this.#server.close();
  }
}

/** Time that passes when the test says so. Chance is always the same, for short waits. */
export class FakeTime implements Surroundings {
  #now = 1_000_000;
  readonly timers = new Set<{ readonly at: number; readonly run: () => void }>();

  now = (): number => this.#now;
  random = (): number => 0.2;
  after = (milliseconds: number, run: () => void): (() => void) => {
    const timer = { at: this.#now + milliseconds, run };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  };

  pass(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const due = [...this.timers].filter((timer) => timer.at <= end);
      const [next] = due.sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.timers.delete(next);
      this.#now = next.at;
      next.run();
    }
    this.#now = end;
  }
}

let marks = 0;

/** Wait until the client has taken in all that the session has said so far. */
export async function takenIn(client: Client, session: Session): Promise<void> {
  const day = ++marks;
  session.say({ type: "Dailies", day, date: "", ends: 0, closes: 0, now: 0, games: [] });
  await until(client.dailies, (dailies) => dailies?.day === day);
}

/** Fail unless the client has sent nothing but what was read, after all that the session has said. */
export async function saidNothing(client: Client, session: Session): Promise<void> {
  await takenIn(client, session);
  client.showDeal("mark").catch(() => undefined);
  await session.command("ShowDeal");
}

/** A client of the server, which is not connected yet. */
export async function clientOf(
  server: ScriptedServer,
  options: Partial<ClientOptions> = {},
): Promise<Client> {
  const url = await server.start();
  return new Client({ url, openSocket: nodeSocket, storage: memoryStorage(), ...options });
}

/** A client with its first session open, and the server's end of that session. */
export async function openedClient(
  server: ScriptedServer,
  options: Partial<ClientOptions> = {},
): Promise<[Client, Session]> {
  const client = await clientOf(server, options);
  client.connect();
  const session = await server.session();
  await session.welcome();
  await until(client.status, (status) => status === "open");
  return [client, session];
}
