/** A server and a clock controlled by the test. */

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { decode, encode } from "@msgpack/msgpack";
import { type WebSocket, WebSocketServer } from "ws";
import { Client, type ClientOptions } from "../src/client.ts";
import type { Surroundings } from "../src/connection.ts";
import { nodeSocket } from "../src/node.ts";
import {
  COMMANDS,
  EVENTS,
  FIRST_NUMBER,
  LAST_NUMBER,
  NEWS,
  PROGRESS,
  type Re,
} from "../src/messages.ts";
import * as later from "../src/laterMessages.ts";
import type { CommandFields, CommandType, EventFields, EventType } from "../src/protocol.ts";
import { memoryStorage } from "../src/storage.ts";
import { until } from "../src/store.ts";
import { loadLater, toObject, toRow } from "../src/wire.ts";
import { ADA } from "./builders.ts";

export { until };

await loadLater();
const COMMAND_NAMES = new Map<number, CommandType>(
  Object.entries({ ...COMMANDS, ...later.COMMANDS }).map(([name, kind]) => [
    kind,
    name as CommandType,
  ]),
);
const EVENT_KINDS: Readonly<Record<string, number>> = { ...EVENTS, ...later.EVENTS };

/** A received command, with the `re` of its answer. Omitted fields are null. */
export type Received<T extends CommandType> = CommandFields[T] & {
  readonly type: T;
  readonly re: Re;
};
export type AnyReceived = { [T in CommandType]: Received<T> }[CommandType];

/** An event to send; without `re`, it answers no command. */
export type SentEvent = {
  [T in EventType]: EventFields[T] & { readonly type: T; readonly re?: Re };
}[EventType];

export function decodeCommand(frame: Uint8Array): AnyReceived {
  const row = decode(frame) as unknown[];
  const [first, second] = row as [number, number];
  if (FIRST_NUMBER <= first && first <= LAST_NUMBER) {
    return { type: "PlayMove", re: [first, second], ...toObject("PlayMove", row) } as AnyReceived;
  }
  const type = COMMAND_NAMES.get(first);
  if (type === undefined) throw new RangeError(`There is no command of the kind ${first}.`);
  return { type, re: second, ...toObject(type, row.slice(2)) } as AnyReceived;
}

export function encodeEvent(event: SentEvent): Uint8Array {
  if (event.type === "Progress") {
    return encode([
      PROGRESS,
      ...event.counters.flatMap((one) => [one.runner, one.home, one.moves, one.headway]),
    ]);
  }
  const row = toRow(event.type, event);
  if (event.type !== "Moved") return encode([EVENT_KINDS[event.type], event.re ?? NEWS, ...row]);
  while (row.at(-1) === null) row.pop();
  return encode(row);
}

/** An unbounded FIFO queue with asynchronous readers. */
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
  readonly #commands = new Queue<AnyReceived | null>();
  readonly closed: Promise<unknown>;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = once(socket, "close");
    socket.on("message", (data) => this.#commands.put(decodeCommand(data as Buffer)));
    socket.on("close", () => this.#commands.put(null));
  }

  /** Return the next command, which must have this type. */
  async command<T extends CommandType>(type: T): Promise<Received<T>> {
    const command = await this.next();
    if (command?.type === type) return command as Received<T>;
    throw new Error(`Expected ${type}, received ${command?.type ?? "the close"}.`);
  }

  /** Return the next command, or null at the end of the session. */
  next(): Promise<AnyReceived | null> {
    return this.#commands.next();
  }

  send(event: SentEvent): void {
    this.#socket.send(encodeEvent(event));
  }

  /** Answer the next command, which must have this type, and return it. */
  async answer<T extends CommandType>(
    type: T,
    event: SentEvent | ((command: Received<T>) => SentEvent),
  ): Promise<Received<T>> {
    const command = await this.command(type);
    this.send({ ...(typeof event === "function" ? event(command) : event), re: command.re });
    return command;
  }

  /** Refuse the next command, which must have this type, and return it. */
  refuse<T extends CommandType>(
    type: T,
    code: string,
    { text = "No.", wait = 0 } = {},
  ): Promise<Received<T>> {
    return this.answer(type, { type: "Refused", code, text, wait });
  }

  sendRaw(frame: Uint8Array | string): void {
    this.#socket.send(frame);
  }

  async welcome(now = 0, session = "session-1"): Promise<Received<"Hello">> {
    const hello = await this.command("Hello");
    this.send({ type: "Welcome", re: hello.re, player: ADA, token: "token-1", now, session });
    return hello;
  }

  close(code: number): void {
    this.#socket.close(code);
  }

  /** Terminate the connection, without a close frame. */
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

/** A clock advanced by the test, with its timers. Random numbers are constant, for short waits. */
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

  advance(milliseconds: number): void {
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

/** Wait until the client has processed all events sent by the session so far. */
export async function processed(client: Client, session: Session): Promise<void> {
  const day = ++marks;
  session.send({
    type: "Dailies",
    day,
    date: "",
    ends: 0,
    closes: 0,
    now: 0,
    games: [],
    crowns: [],
  });
  await until(client.dailies, (dailies) => dailies?.day === day);
}

/** Process all events, and fail if the client has sent another command. */
export async function expectNoCommand(client: Client, session: Session): Promise<void> {
  await processed(client, session);
  client.showDeal("mark").catch(() => undefined);
  await session.command("ShowDeal");
}

/** Return a client of this server, not connected yet. */
export async function clientOf(
  server: ScriptedServer,
  options: Partial<ClientOptions> = {},
): Promise<Client> {
  const url = await server.start();
  return new Client({ url, openSocket: nodeSocket, storage: memoryStorage(), ...options });
}
