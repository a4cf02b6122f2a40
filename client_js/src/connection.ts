/**
 * One session after the other with the server: hello, liveness, the server's time, and coming back.
 *
 * At any moment at most one timer runs: until the welcome, the next ping, its pong, or the next try.
 */

import { type Player, VERSION } from "./messages.ts";
import { CLOSE, type Command, type Event, type EventOf } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import { Requests } from "./requests.ts";
import type { OpenSocket, Socket } from "./socket.ts";
import type { TokenStorage } from "./storage.ts";
import { type Readable, Store } from "./store.ts";
import { decodeEvent, encodeCommand } from "./wire.ts";

/**
 * - `connecting`: a try to open a session is under way.
 * - `open`: there is a session.
 * - `waiting`: there is none; the next try comes by itself, unless the client was closed.
 * - `unreachable`: several tries in a row have failed, as `failure` says; more come by themselves.
 * - `replaced`, `incompatible`: no try comes until `connect` is called again.
 */
export type Status =
  "connecting" | "open" | "waiting" | "unreachable" | "replaced" | "incompatible";

/** Why the last try to open a session has failed. */
export interface ConnectFailure {
  /** How many tries have failed since the last session, or since `connect`. */
  readonly tries: number;
  /** The WebSocket's close code; null if no answer came in time, or the server refused the hello. */
  readonly code: number | null;
  /** What was in the way, as far as it is known. Browsers do not tell pages. */
  readonly reason: string;
}

export const PING_EVERY = 15_000;
export const PONG_WITHIN = 10_000;
export const WELCOME_WITHIN = 10_000;
/** The same for both, once there is a reason to believe that the connection is lost. */
export const ALIVE_WITHIN = 3_000;
/** How many tries in a row must fail until the server counts as unreachable: about two seconds. */
export const UNREACHABLE_AFTER = 3;
/** Over which the first tries of all clients of a node that went down are spread. */
const FIRST_WAIT = 1_000;
const SHORTEST_WAIT = 200;
const QUICK_WAIT = 450;
const QUICK_TRIES = 3;
const LONGEST_WAIT = 10_000;

/** Local time in milliseconds, timers and chance, so that tests can hold them still. */
export interface Surroundings {
  readonly now: () => number;
  /** Run something later; returns what calls it off. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** A number from 0 to less than 1. */
  readonly random: () => number;
}

export interface ConnectionOptions {
  readonly url: string;
  readonly openSocket: OpenSocket;
  readonly storage: TokenStorage;
  readonly surroundings: Surroundings;
  /** The name of a new guest; null leaves it to the server. */
  readonly name: string | null;
  /** Milliseconds for which a command waits for a session; Infinity for as long as it takes. */
  readonly timeout: number;
  /** A session is open. What is asked in here goes before what was kept from an earlier one. */
  readonly onOpen: (player: Player) => void;
  /** An event came, and was the answer to this command, or to none. */
  readonly onEvent: (event: Event, answered: Command | null) => void;
}

export class Connection {
  readonly requests = new Requests(
    (command) => this.#send(command),
    (reject) => this.#limitWait(reject),
  );
  readonly #options: ConnectionOptions;
  readonly #status = new Store<Status>("connecting");
  readonly #failure = new Store<ConnectFailure | null>(null);
  #name: string | null;
  #socket: Socket | null = null;
  #cancelTimer: () => void = () => undefined;
  #failures = 0;
  /** How long the server has told to stay away when this session ends, in milliseconds, or 0. */
  #away = 0;
  /** Whether the connection does not come back by itself. */
  #stays = true;
  /** Whether what is awaited now must come within `ALIVE_WITHIN`. */
  #hurries = false;
  #asked = { id: 0, at: 0 };
  #clock = { offset: 0, trip: Infinity };

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#name = options.name;
  }

  get status(): Readable<Status> {
    return this.#status;
  }

  /** Null as soon as a session is open. */
  get failure(): Readable<ConnectFailure | null> {
    return this.#failure;
  }

  /** The server's time in milliseconds, as well as it is known. */
  now(): number {
    return this.#options.surroundings.now() + this.#clock.offset;
  }

  /** Open a session, and come back whenever it is lost. */
  connect(): void {
    this.#stays = false;
    if (this.#socket === null) this.#dial();
  }

  /** Close the session, and stay away. */
  close(): void {
    this.#stayAway("waiting");
  }

  /** The connection may be lost, or may be had again: find out now, not when a timer says so. */
  wake(): void {
    if (this.#stays) return;
    this.#failures = 0;
    if (this.#socket === null) this.#dial();
    else if (!this.#hurries) this.#hurry();
  }

  /** Dial anew at once unless the open or opening session is heard of soon. */
  #hurry(): void {
    if (this.#status.get() === "open" && this.#asked.id === 0) this.#ping();
    this.#hurries = true;
    this.#timer(ALIVE_WITHIN, () => this.#lost(null));
  }

  #dial(): void {
    const { openSocket, url } = this.#options;
    this.#hurries = false;
    this.#away = 0;
    if (this.#status.get() !== "unreachable") this.#status.set("connecting");
    const socket = openSocket(url, {
      opened: () => this.#socket === socket && this.#hello(),
      received: (frame) => this.#socket === socket && this.#receive(frame),
      closed: (code, reason) => this.#socket === socket && this.#lost(code, reason),
    });
    this.#socket = socket;
    this.#timer(WELCOME_WITHIN, () => this.#lost(null));
  }

  #hello(): void {
    const token = this.#options.storage.load();
    const who = token !== null ? { token } : this.#name !== null ? { name: this.#name } : {};
    const id = this.requests.tell("Hello", { version: VERSION, ...who });
    this.#asked = { id, at: this.#options.surroundings.now() };
  }

  #receive(frame: Uint8Array): void {
    const event = decodeEvent(frame);
    if (event === null) return;
    const answered = this.requests.answered(event);
    if (answered?.type === "Hello") this.#welcomed(event);
    else if (answered?.type === "Ping") this.#ponged(event);
    else if (event.type === "Bye") this.#away = event.wait;
    else this.#options.onEvent(event, answered);
  }

  #welcomed(event: Event): void {
    if (event.type === "Refused") {
      this.#turnedAway(event);
    } else if (event.type === "Welcome") {
      this.#failures = 0;
      this.#failure.set(null);
      this.#clock = { ...this.#clock, trip: Infinity };
      this.#setClock(event.now);
      this.#options.storage.save(event.token);
      this.#nextPing();
      this.requests.opened(() => {
        this.#options.onOpen(event.player);
        this.#status.set("open");
      });
    }
  }

  /** Say hello without what the server does not take, where that is what is wrong. */
  #turnedAway({ code, text, wait }: EventOf<"Refused">): void {
    if (code === "bad_token") {
      this.#options.storage.save(null);
      this.#hello();
    } else if (code === "bad_name" && this.#name !== null) {
      this.#name = null;
      this.#hello();
    } else {
      this.#away = wait;
      this.#lost(code === "bad_version" ? CLOSE.badVersion : null, text);
    }
  }

  #nextPing(): void {
    this.#hurries = false;
    this.#asked = { id: 0, at: 0 };
    this.#timer(PING_EVERY, () => this.#ping());
  }

  #ping(): void {
    const at = this.#options.surroundings.now();
    this.#timer(PONG_WITHIN, () => this.#lost(null));
    this.#asked = { id: this.requests.tell("Ping", {}), at };
  }

  #ponged(event: Event): void {
    if (event.type === "Pong") this.#setClock(event.now);
    this.#nextPing();
  }

  /** Keep the offset of the session's shortest trip: the one that can be the least wrong. */
  #setClock(serverNow: number): void {
    const now = this.#options.surroundings.now();
    const trip = now - this.#asked.at;
    if (trip <= this.#clock.trip) {
      this.#clock = { offset: Math.round(serverNow + trip / 2 - now), trip };
    }
  }

  /** The socket is gone, by this close code, or not worth waiting for, with none. */
  #lost(code: number | null, reason?: string): void {
    if (code === CLOSE.replaced) return this.#stayAway("replaced");
    if (code === CLOSE.badVersion) return this.#stayAway("incompatible");
    const scolded = code === CLOSE.tooFast || code === CLOSE.badMessages;
    const { random } = this.#options.surroundings;
    const wait = this.#away || waitBefore(this.#failures, scolded, random());
    // Who looks at the page now waits for nothing but what the server asked for.
    const atOnce = this.#hurries && !scolded && this.#away === 0;
    this.#hangUp();
    if (this.#status.get() !== "open") this.#failed(code, reason);
    this.requests.lost();
    this.#failures += 1;
    const tries = this.#failure.get()?.tries ?? 0;
    this.#status.set(tries < UNREACHABLE_AFTER ? "waiting" : "unreachable");
    if (atOnce) this.#dial();
    else this.#timer(wait, () => this.#dial());
  }

  /** A try to open a session has failed. */
  #failed(code: number | null, reason?: string): void {
    const silence = code === null ? "no answer" : `close code ${code}`;
    const tries = (this.#failure.get()?.tries ?? 0) + 1;
    this.#failure.set({ tries, code, reason: reason || silence });
  }

  /** Reject a command with `unreachable` unless the wait for a session ends in time. */
  #limitWait(reject: (reason: Refusal) => void): () => void {
    const { surroundings, timeout, url } = this.#options;
    if (timeout === Infinity) return () => undefined;
    return surroundings.after(timeout, () => {
      const reason = this.#failure.get()?.reason ?? "no session was opened";
      reject(new Refusal("unreachable", `There is no session with ${url}: ${reason}.`));
    });
  }

  /** End the session until `connect` is called again. */
  #stayAway(status: Status): void {
    this.#stays = true;
    this.#hangUp();
    this.#failure.set(null);
    this.requests.abandon();
    this.#status.set(status);
  }

  #hangUp(): void {
    const socket = this.#socket;
    this.#socket = null;
    this.#cancelTimer();
    socket?.close();
  }

  #send(command: Command): void {
    this.#socket?.send(encodeCommand(command));
  }

  #timer(milliseconds: number, run: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#options.surroundings.after(milliseconds, run);
  }
}

/**
 * How long to wait before the next try, in milliseconds: spread by chance, so that the clients of a
 * node that went down do not come back all at once, and longer after each failure but the first
 * few. Those come within two seconds all together, for another node may take over meanwhile.
 */
export function waitBefore(
  failures: number,
  scolded: boolean,
  chance: number,
  most = LONGEST_WAIT,
): number {
  if (failures === 0 && !scolded) return chance * FIRST_WAIT;
  const longest = scolded
    ? most
    : Math.min(most, QUICK_WAIT * 2 ** Math.max(0, failures + 1 - QUICK_TRIES));
  return SHORTEST_WAIT + chance * (longest - SHORTEST_WAIT);
}
