/**
 * Successive sessions with the server: handshake, keepalive pings, clock offset, and reconnection
 * with backoff.
 *
 * At most one timer runs at any moment: the welcome timeout, the next ping, the pong timeout, or
 * the next connection attempt.
 */

import { waitBefore } from "./backoff.ts";
import { ServerClock } from "./clock.ts";
import { type Player, VERSION } from "./messages.ts";
import { CLOSE, type Command, type Event, type EventOf } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import { Requests } from "./requests.ts";
import type { OpenSocket, Socket } from "./socket.ts";
import type { TokenStorage } from "./storage.ts";
import { type Readable, Store } from "./store.ts";
import { decodeEvent, encodeCommand } from "./wire.ts";

/**
 * - `connecting`: opening a session.
 * - `open`: a session is open.
 * - `waiting`: no session; the next attempt is scheduled, unless the client was closed.
 * - `unreachable`: several consecutive attempts failed, for the reason in `failure`; more are
 *   scheduled.
 * - `replaced`: the player has too many sessions.
 * - `barred`: an operator has barred the player.
 * - `replaced`, `incompatible`, `barred`: no further attempts until `connect` is called.
 */
export type Status =
  "connecting" | "open" | "waiting" | "unreachable" | "replaced" | "incompatible" | "barred";

/** Why the last attempt to open a session failed. */
export interface ConnectFailure {
  /** Failed attempts since the last session or the last `connect`. */
  readonly tries: number;
  /** The WebSocket close code; null after a timeout or a refused hello. */
  readonly code: number | null;
  /** The cause, as far as known: browsers hide it from pages. */
  readonly reason: string;
  /** The error of the socket; in browsers there is none. */
  readonly cause?: unknown;
}

/** Milliseconds from a pong to the next ping, and the timeouts for a pong or a welcome. */
export const PING_EVERY = 15_000;
export const PONG_WITHIN = 10_000;
export const WELCOME_WITHIN = 10_000;
/** Either timeout while verifying a connection that is probably lost. */
export const ALIVE_WITHIN = 3_000;
/** Either timeout while a large answer may be in transit: two megabytes at 20 kB/s. */
export const LARGE_WITHIN = 120_000;
/** Consecutive failures, over about two seconds, that make the server count as unreachable. */
export const UNREACHABLE_AFTER = 3;
/** The number of remembered earlier sessions, equal to the server's limit per player. */
const MAX_SESSIONS = 8;

/** Final refusals of a hello, with the equivalent close codes. */
const FINAL: Readonly<Record<string, number>> = {
  bad_version: CLOSE.badVersion,
  barred: CLOSE.barred,
};

/** Local time, timers and randomness; tests substitute their own. */
export interface Surroundings {
  /** A monotonic clock in milliseconds (see `localTime`). */
  readonly now: () => number;
  /** Schedule `run`; returns a function that cancels it. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** A random number in [0, 1). */
  readonly random: () => number;
}

export interface ConnectionOptions {
  readonly url: string;
  readonly openSocket: OpenSocket;
  readonly storage: TokenStorage;
  readonly surroundings: Surroundings;
  /** The name of a new guest; null leaves the choice to the server. */
  readonly name: string | null;
  /** Milliseconds a command waits for a session; Infinity disables the timeout. */
  readonly timeout: number;
  /** A session was opened. Commands sent in this callback precede the queued ones. */
  readonly onOpen: (player: Player) => void;
  /** An event was received; `answered` is the command it answers, if any. */
  readonly onEvent: (event: Event, answered: Command | null) => void;
  /** The next session belongs to another player: all state of this one is invalid. */
  readonly onOtherPlayer: () => void;
}

export class Connection {
  readonly requests = new Requests(
    (command) => this.#send(command),
    (reject) => this.#startTimeout(reject),
  );
  readonly #options: ConnectionOptions;
  readonly #status = new Store<Status>("connecting");
  readonly #failure = new Store<ConnectFailure | null>(null);
  #name: string | null;
  #socket: Socket | null = null;
  #cancelTimer: () => void = () => undefined;
  /** Releases the turn, so that the next client of this storage may create its player. */
  #endTurn: () => void = () => undefined;
  #failures = 0;
  /** Milliseconds the server asked to wait before the next attempt, or 0. */
  #serverWait = 0;
  /** Whether to open no session until `connect` is called. */
  #stopped = true;
  /** Whether the awaited welcome or pong is due within `ALIVE_WITHIN`. */
  #verifying = false;
  /** The id and send time of the hello or ping in flight; id 0 otherwise. */
  #probe = { id: 0, at: 0 };
  /** The token of this client's player; null for a new guest before the welcome. */
  #playerToken: string | null = null;
  /** The ids of this client's sessions, the latest at the end. */
  #sessions: readonly string[] = [];
  readonly #clock: ServerClock;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#clock = new ServerClock(options.surroundings.now);
    this.#name = options.name;
  }

  get status(): Readable<Status> {
    return this.#status;
  }

  /** Null while a session is open. */
  get failure(): Readable<ConnectFailure | null> {
    return this.#failure;
  }

  now(): number {
    return this.#clock.now();
  }

  /** The id of the last session; null before the first. */
  get session(): string | null {
    return this.#sessions.at(-1) ?? null;
  }

  /** Store a new token of the same player; null removes it. */
  keep(token: string | null): void {
    this.#playerToken = token;
    this.#options.storage.save(token);
  }

  /** Switch to another player: reconnect with this token. */
  become(token: string): void {
    this.keep(token);
    this.#dropSocket();
    this.requests.abandon();
    this.#options.onOtherPlayer();
    this.#failures = 0;
    this.#status.set("waiting");
    if (!this.#stopped) this.#dial();
  }

  /** Whether this client opened the session with this id. */
  isOwnSession(session: string): boolean {
    return this.#sessions.includes(session);
  }

  connect(): void {
    this.#stopped = false;
    if (this.#socket === null) this.#dial();
  }

  close(): void {
    this.#stop("waiting");
  }

  /** Verify the session, or reconnect, immediately instead of at the next timer. */
  wake(): void {
    if (this.#stopped) return;
    this.#failures = 0;
    if (this.#socket === null) this.#dial();
    else if (!this.#verifying) this.#verify();
  }

  /** Reconnect unless the open or opening session answers within `ALIVE_WITHIN`. */
  #verify(): void {
    if (this.#status.get() === "open" && this.#probe.id === 0) this.#ping();
    this.#verifying = true;
    this.#timer(this.#answerTimeout(ALIVE_WITHIN), () => this.#lost(null));
  }

  #dial(): void {
    const { openSocket, url } = this.#options;
    this.#verifying = false;
    this.#serverWait = 0;
    if (this.#status.get() !== "unreachable") this.#status.set("connecting");
    const socket = openSocket(url, {
      opened: () => this.#socket === socket && this.#helloInTurn(),
      received: (frame) => this.#socket === socket && this.#receive(frame),
      closed: (code, reason, cause) => this.#socket === socket && this.#lost(code, reason, cause),
    });
    this.#socket = socket;
    this.#timer(WELCOME_WITHIN, () => this.#lost(null));
  }

  /** Send the hello. New guests take turns, because all tabs of a browser are one player. */
  #helloInTurn(): void {
    const { storage } = this.#options;
    const socket = this.#socket;
    if (this.#token !== null || storage.turn === undefined) return this.#sendHello();
    this.#endTurn();
    this.#endTurn = storage.turn(() => this.#socket === socket && this.#sendHello());
  }

  /** The token to send. If the storage was cleared meanwhile, a running game keeps its player. */
  get #token(): string | null {
    return this.#options.storage.load() ?? this.#playerToken;
  }

  #sendHello(): void {
    const token = (this.#playerToken = this.#token);
    const who = token !== null ? { token } : this.#name !== null ? { name: this.#name } : {};
    const id = this.requests.tell("Hello", { version: VERSION, ...who });
    this.#probe = { id, at: this.#options.surroundings.now() };
  }

  #receive(frame: Uint8Array): void {
    const event = decodeEvent(frame);
    if (event === null) return;
    const answered = this.requests.answered(event);
    if (answered?.type === "Hello") this.#welcomed(event);
    else if (answered?.type === "Ping") this.#ponged(event);
    else if (event.type === "Bye") this.#serverWait = event.wait;
    else this.#options.onEvent(event, answered);
  }

  #welcomed(event: Event): void {
    if (event.type === "Refused") {
      this.#helloRefused(event);
    } else if (event.type === "Welcome") {
      // Without turns, another tab may have been welcomed first: use its player.
      if (this.#playerToken === null && this.#token !== null) return this.#redial();
      this.#failures = 0;
      this.#failure.set(null);
      this.#clock.begin();
      this.#clock.measure(event.now, this.#probe.at);
      this.#store(event.token);
      this.#endTurn();
      this.#sessions = [...this.#sessions, event.session].slice(-MAX_SESSIONS);
      this.#nextPing();
      this.requests.opened(() => {
        this.#options.onOpen(event.player);
        this.#status.set("open");
      });
    }
  }

  /** Repeat the hello without the refused token or name; any other refusal ends this attempt. */
  #helloRefused({ code, text, wait }: EventOf<"Refused">): void {
    if (code === "bad_token") {
      this.#store(null);
      this.#options.onOtherPlayer();
      this.#helloInTurn();
    } else if (code === "bad_name" && this.#name !== null) {
      this.#name = null;
      this.#helloInTurn();
    } else {
      this.#serverWait = wait;
      this.#lost(FINAL[code] ?? null, text);
    }
  }

  /** Store a token, unless another window stored a different one since the hello. */
  #store(token: string | null): void {
    const stored = this.#options.storage.load();
    if (stored === null || stored === this.#playerToken) this.keep(token);
  }

  #nextPing(): void {
    this.#verifying = false;
    this.#probe = { id: 0, at: 0 };
    this.#timer(PING_EVERY, () => this.#ping());
  }

  /** The pong timeout; a pong arrives only after a large answer requested before it. */
  #answerTimeout(usual: number): number {
    return this.requests.awaitsLargeAnswer ? LARGE_WITHIN : usual;
  }

  #ping(): void {
    const at = this.#options.surroundings.now();
    this.#timer(this.#answerTimeout(PONG_WITHIN), () => this.#lost(null));
    this.#probe = { id: this.requests.tell("Ping", {}), at };
  }

  #ponged(event: Event): void {
    if (event.type === "Pong") this.#clock.measure(event.now, this.#probe.at);
    this.#nextPing();
  }

  /** Drop a socket closed with this code (null: abandoned), and schedule the next attempt. */
  #lost(code: number | null, reason?: string, cause?: unknown): void {
    if (code === CLOSE.replaced) return this.#stop("replaced");
    if (code === CLOSE.badVersion) return this.#stop("incompatible");
    if (code === CLOSE.signedOut) {
      this.#store(null);
      this.requests.abandon();
      this.#options.onOtherPlayer();
    }
    if (code === CLOSE.barred) return this.#stop("barred");
    const penalized = code === CLOSE.tooFast || code === CLOSE.badMessages;
    const { random } = this.#options.surroundings;
    const wait = this.#serverWait || waitBefore(this.#failures, penalized, random());
    // The player is at the page: skip the backoff, but not a wait requested by the server.
    const atOnce = this.#verifying && !penalized && this.#serverWait === 0;
    this.#dropSocket();
    if (this.#status.get() !== "open") this.#recordFailure(code, reason, cause);
    this.requests.lost(cause);
    this.#failures += 1;
    const tries = this.#failure.get()?.tries ?? 0;
    this.#status.set(tries < UNREACHABLE_AFTER ? "waiting" : "unreachable");
    if (atOnce) this.#dial();
    else this.#timer(wait, () => this.#dial());
  }

  #recordFailure(code: number | null, reason?: string, cause?: unknown): void {
    const silence = code === null ? "no answer" : `close code ${code}`;
    const tries = (this.#failure.get()?.tries ?? 0) + 1;
    this.#failure.set({ tries, code, reason: reason || silence, cause });
  }

  /** Start a queued command's timeout, which rejects as `unreachable`; return its cancellation. */
  #startTimeout(reject: (reason: Refusal) => void): () => void {
    const { surroundings, timeout, url } = this.#options;
    if (timeout === Infinity) return () => undefined;
    return surroundings.after(timeout, () => {
      const { reason, cause } = this.#failure.get() ?? { reason: "no session was opened" };
      const text = `There is no session with ${url}: ${reason}.`;
      reject(new Refusal("unreachable", text, 0, cause));
    });
  }

  /** End the session, and do not reconnect until `connect` is called again. */
  #stop(status: Status): void {
    this.#stopped = true;
    this.#dropSocket();
    this.#failure.set(null);
    this.requests.abandon();
    this.#status.set(status);
  }

  #redial(): void {
    this.#dropSocket();
    this.requests.lost();
    this.#dial();
  }

  #dropSocket(): void {
    const socket = this.#socket;
    this.#socket = null;
    this.#cancelTimer();
    this.#endTurn();
    // Cleared above, so that the socket's `closed` callback is ignored.
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
