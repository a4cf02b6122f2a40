/** The client: one player's session, room, attempt and leaderboard, kept across reconnects. */

import type { AccountCommands } from "./account.ts";
import type { AttemptState } from "./attemptState.ts";
import { onWake } from "./awake.ts";
import type { ChallengeSettings } from "./challenges.ts";
import type { CircleCommands } from "./circles.ts";
import { localTime } from "./clock.ts";
import { type ConnectFailure, Connection, type Status, type Surroundings } from "./connection.ts";
import { Later, withMessages } from "./later.ts";
import { LeaderboardKeeper } from "./leaderboard.ts";
import { type Keeper, Link } from "./link.ts";
import { AttemptKeeper } from "./playing.ts";
import type { OperatorCommands } from "./operators.ts";
import type {
  Challenge,
  ChallengeRow,
  Challenger,
  Dailies,
  Deal,
  Emoted,
  Leaderboard,
  Neighbours,
  OpenRoom,
  Player,
  Removed,
  Report,
  RoomState,
  Run,
  Runs,
  WatchLeaderboard,
} from "./messages.ts";
import type { PushCommands } from "./push.ts";
import { Retries } from "./retries.ts";
import { RoomKeeper, type RoomSettings, type Terms } from "./room.ts";
import { type OpenSocket, browserSocket } from "./socket.ts";
import { type TokenStorage, defaultStorage } from "./storage.ts";
import { type Readable, Store } from "./store.ts";
import type { WatchEnded, WatchedRound } from "./watching.ts";
import { requireScheme } from "./url.ts";
import { loadLater } from "./wire.ts";

const TIMEOUT = 30_000;

export interface ClientOptions extends Partial<Surroundings> {
  /** The server's WebSocket address, such as `wss://example.org/socket`. */
  readonly url: string;
  /** The name of a new guest. */
  readonly name?: string;
  readonly storage?: TokenStorage;
  /** Required in Node: `nodeSocket` from `./node`. */
  readonly openSocket?: OpenSocket;
  /**
   * Milliseconds a command waits for a session before it is refused as `unreachable`: 30 seconds by
   * default; Infinity disables the timeout.
   */
  readonly timeout?: number;
}

/**
 * A client of one player. Its promises reject with a `Refusal`.
 *
 * If the connection is lost, commands in flight are refused as `disconnected`, except idempotent
 * ones. Those wait for the next session, up to the `timeout`, and are also retried while the server
 * is `unavailable` or `overloaded`.
 */
export class Client {
  readonly status: Readable<Status>;
  /** Why the last connection attempt failed; null while a session is open. */
  readonly failure: Readable<ConnectFailure | null>;
  /** Whether a command is being retried after a temporary refusal. */
  readonly stalled: Readable<boolean>;
  readonly player: Readable<Player | null>;
  /** The player's room, or the watched room; the runners of its round are kept up to date. */
  readonly room: Readable<RoomState | null>;
  /**
   * The room that a host removed the player from, or that was closed; null once in another room.
   */
  readonly removed: Readable<Removed | null>;
  /** The last emote in the room, including the player's own; null if this session has had none. */
  readonly emoted: Readable<Emoted | null>;
  /** Players of the room who share an address, often friends. Only the host receives this. */
  readonly neighbours: Readable<Neighbours | null>;
  /** The current attempt, opened here or started by the server with a round. */
  readonly attempt: Readable<AttemptState | null>;
  readonly leaderboard: Readable<Leaderboard | null>;
  readonly dailies: Readable<Dailies | null>;
  /** The watched challenge, kept up to date. */
  readonly challenge: Readable<Challenge | null>;
  /** The player's challenges, as last listed or updated by the server. */
  readonly challenges: Readable<readonly ChallengeRow[] | null>;
  /** The boards of the watched round, kept up to date. */
  readonly watched: Readable<WatchedRound | null>;
  /** Why watching a room ended; null once another room is watched. */
  readonly watchEnded: Readable<WatchEnded | null>;

  readonly #connection: Connection;
  readonly #link: Link;
  readonly #player = new Store<Player | null>(null);
  readonly #room: RoomKeeper;
  readonly #attempt: AttemptKeeper;
  readonly #leaderboard: LeaderboardKeeper;
  readonly #watched = new Store<WatchedRound | null>(null);
  readonly #watchEnded = new Store<WatchEnded | null>(null);
  readonly #challenge = new Store<Challenge | null>(null);
  readonly #challenges = new Store<readonly ChallengeRow[] | null>(null);
  readonly #keepers: Keeper[];
  readonly #watching = new Later(async () => {
    const { WatchKeeper } = await import("./watching.ts");
    return this.#kept(new WatchKeeper(this.#link, this.#room, this.#watched, this.#watchEnded));
  });
  readonly #challenging = new Later(async () => {
    const { ChallengeKeeper } = await withMessages(import("./challenges.ts"));
    return this.#kept(new ChallengeKeeper(this.#link, this.#challenge, this.#challenges));
  });
  readonly #circling = new Later(async () => {
    const { CircleCommands, CircleKeeper } = await withMessages(import("./circles.ts"));
    return new CircleCommands(this.#link, this.#kept(new CircleKeeper(this.#link)));
  });
  readonly #account = new Later(async () => {
    const { AccountCommands } = await withMessages(import("./account.ts"));
    return new AccountCommands(this.#link, this.#connection);
  });
  readonly #push = new Later(async () => {
    const { PushCommands } = await withMessages(import("./push.ts"));
    return new PushCommands(this.#link);
  });
  readonly #operators = new Later(async () => {
    const { OperatorCommands } = await withMessages(import("./operators.ts"));
    return new OperatorCommands(this.#link, this.#connection);
  });
  readonly #reports = new Later(loadLater);
  #removeWakeListeners: (() => void) | null = null;

  /** Throws a `TypeError` for a `url` of another scheme than `wss:` and `ws:`. */
  constructor(options: ClientOptions) {
    requireScheme(options.url, ["wss:", "ws:"]);
    const surroundings: Surroundings = {
      now: options.now ?? localTime,
      after: options.after ?? after,
      random: options.random ?? (() => Math.random()),
    };
    this.#connection = new Connection({
      url: options.url,
      openSocket: options.openSocket ?? browserSocket,
      storage: options.storage ?? defaultStorage(),
      surroundings,
      name: options.name ?? null,
      timeout: options.timeout ?? TIMEOUT,
      onOpen: (player) => {
        this.#player.set(player);
        this.#keepers.forEach((keeper) => keeper.resume());
      },
      onEvent: (event, answered) => {
        this.#keepers.forEach((keeper) => keeper.handle(event, answered));
      },
      onOtherPlayer: () => {
        this.#player.set(null);
        this.#keepers.forEach((keeper) => keeper.forget?.());
      },
    });
    const retries = new Retries(surroundings);
    this.#link = new Link(this.#connection, retries);
    this.#room = new RoomKeeper(this.#link);
    this.#attempt = new AttemptKeeper(this.#link);
    this.#leaderboard = new LeaderboardKeeper(this.#link);
    // The attempt resumes before its room, because a room also sends attempts not opened here.
    this.#keepers = [this.#attempt, this.#room, this.#leaderboard];

    this.status = this.#connection.status;
    this.failure = this.#connection.failure;
    this.stalled = retries.stalled;
    this.player = this.#player;
    this.room = this.#room.room;
    this.removed = this.#room.removed;
    this.emoted = this.#room.emoted;
    this.neighbours = this.#room.neighbours;
    this.attempt = this.#attempt.state;
    this.leaderboard = this.#leaderboard.leaderboard;
    this.dailies = this.#leaderboard.dailies;
    this.challenge = this.#challenge;
    this.challenges = this.#challenges;
    this.watched = this.#watched;
    this.watchEnded = this.#watchEnded;
    this.status.subscribe((status) => {
      if (status === "open") return;
      this.#link.lost();
      this.#keepers.forEach((keeper) => keeper.lost?.());
    });
  }

  /** Open a session, and reconnect whenever it is lost, until `close`. */
  connect(): void {
    this.#removeWakeListeners ??= onWake(() => this.#connection.wake());
    this.#connection.connect();
  }

  /** End the session; waiting commands are refused as `disconnected`. */
  close(): void {
    this.#removeWakeListeners?.();
    this.#removeWakeListeners = null;
    this.#connection.close();
  }

  /** The estimated server time in Unix milliseconds. */
  now(): number {
    return this.#connection.now();
  }

  /** Return the account commands: keeping the identity, signing in and out, deletion. */
  account(): Promise<AccountCommands> {
    return this.#account.get();
  }

  /** Return the circle commands, with the player's circles and the watched one. */
  circles(): Promise<CircleCommands> {
    return this.#circling.get();
  }

  /** Return the commands for push notifications. */
  push(): Promise<PushCommands> {
    return this.#push.get();
  }

  /** Return the operator commands, for players whom the server knows as operators. */
  operators(): Promise<OperatorCommands> {
    return this.#operators.get();
  }

  /** Report a player or a public run; `about` is the id. */
  async report(reason: Report["reason"], about: string): Promise<void> {
    await this.#reports.get();
    await this.#link.askWithRetry("Report", { reason, about });
  }

  /** Change the player's name. */
  async rename(name: string): Promise<void> {
    await this.#link.ask("Rename", { name });
    const player = this.#player.get();
    if (player !== null) this.#player.set({ ...player, name });
  }

  /** Create a room and take its first seat; `limit` is in seconds per round. */
  createRoom(settings: RoomSettings): Promise<RoomState> {
    return this.#room.create(settings);
  }

  /**
   * Find an opponent for a game: take a seat in a waiting player's room, or wait in a new room,
   * which the pace bot joins after a while. `leaveRoom` ends the wait.
   */
  quickMatch(game: string): Promise<RoomState> {
    return this.#room.match(game);
  }

  /** Take a seat in a room, or return to the player's existing seat. */
  joinRoom(code: string): Promise<RoomState> {
    return this.#room.join(code);
  }

  /** Give up the seat. An attempt in a running round is resigned. */
  leaveRoom(): Promise<void> {
    return this.#room.leave();
  }

  /**
   * Agree to the next round, or sit out until the next call with true. Joining before the first
   * round counts as agreement to it; every later round needs a new one.
   */
  async setReady(ready: boolean): Promise<void> {
    await this.#link.ask("SetReady", { code: this.#room.code(), ready });
  }

  /**
   * Agree to the next round, unless the player sits out, and start it with all present members who
   * agree. The host starts the first round, any member the later ones.
   *
   * @param anyway whether to start without participants who are away or have not agreed. If false,
   * the command is refused as `players_away` or `not_ready`.
   */
  async startRound(anyway = false): Promise<void> {
    await this.#link.ask("StartRound", { code: this.#room.code(), anyway });
  }

  /** Set the terms of the next rounds (host only). */
  async setTerms(terms: Terms): Promise<void> {
    await this.#link.ask("SetTerms", { code: this.#room.code(), ...terms });
  }

  /** Propose terms of the next rounds to the host. */
  async proposeTerms(terms: Terms): Promise<void> {
    await this.#link.ask("ProposeTerms", { code: this.#room.code(), ...terms });
  }

  /** Remove a member permanently (host only). */
  async removeMember(player: string): Promise<void> {
    await this.#link.ask("RemoveMember", { code: this.#room.code(), player });
  }

  /** Make another member the host (host only). */
  async handOver(player: string): Promise<void> {
    await this.#link.ask("HandOver", { code: this.#room.code(), player });
  }

  /** Lock the room against new members, or unlock it (host only). */
  async setLock(locked: boolean): Promise<void> {
    await this.#link.ask("SetLock", { code: this.#room.code(), locked });
  }

  /** List the room publicly in `listRooms`, or make it private (host only). */
  async setPublic(open: boolean): Promise<void> {
    await this.#link.ask("SetPublic", { code: this.#room.code(), public: open });
  }

  /** List the public rooms with a free seat and at least one player present. */
  async listRooms(): Promise<readonly OpenRoom[]> {
    return (await this.#link.askWithRetry("ListRooms", {})).rooms;
  }

  /** Send an emote to the room, by its number (see `Emoted`); members only. */
  async sendEmote(emote: number): Promise<void> {
    await this.#link.ask("SendEmote", { code: this.#room.code(), emote });
  }

  /**
   * Watch a room's rounds in `watched` without taking a seat. Refused as `still_racing` while the
   * player's own attempt runs, and ended when one starts.
   *
   * @param key the room's watch key; members need none.
   */
  async watch(code: string, key: string | null = null): Promise<void> {
    await (await this.#watching.get()).watch(code, key);
  }

  /** Stop watching the room. */
  async stopWatching(): Promise<void> {
    await this.#watching.ifNeeded((keeper) => keeper.stop());
  }

  /** Return the key that lets others watch the room (host only). */
  async getWatchKey(): Promise<string> {
    return (await this.#link.askWithRetry("GetWatchKey", { code: this.#room.code() })).key;
  }

  /** Fetch the deals of the day, which `dailies` then holds. */
  listDailies(): Promise<Dailies> {
    return this.#leaderboard.list();
  }

  /**
   * Subscribe to a leaderboard, replacing any other subscription.
   *
   * @param wanted the leaderboard; a game means its daily's.
   * @param day the day if `wanted` is a game, today by default.
   */
  watchLeaderboard(wanted: WatchLeaderboard | string, day?: number | null): Promise<void> {
    return this.#leaderboard.watch(
      typeof wanted === "string" ? { game: wanted, day: day ?? null } : wanted,
    );
  }

  /** Unsubscribe from the leaderboard. */
  unwatchLeaderboard(): Promise<void> {
    return this.#leaderboard.unwatch();
  }

  /** Create a challenge, whose link invites others. This does not watch it. */
  async createChallenge(settings: ChallengeSettings): Promise<Challenge> {
    return (await this.#challenging.get()).create(settings);
  }

  /** Watch a challenge, replacing any other; `challenge` holds its state. */
  async watchChallenge(id: string): Promise<void> {
    await (await this.#challenging.get()).watch(id);
  }

  /** Stop watching the challenge. */
  async unwatchChallenge(): Promise<void> {
    await this.#challenging.ifNeeded((keeper) => keeper.unwatch());
  }

  /** Start the player's one attempt at a challenge, or resume it. */
  async playChallenge(id: string): Promise<void> {
    await this.#challenging.get();
    await this.#attempt.openChallenge(id);
  }

  /** List the player's challenges; `seen` marks the news in them as seen. */
  async listChallenges(seen = false): Promise<readonly ChallengeRow[]> {
    return (await this.#challenging.get()).list(seen);
  }

  /**
   * Return 50 rows of a challenge's table, starting at number `first`; `challenge` has the top
   * rows.
   */
  async challengers(id: string, first: number): Promise<readonly Challenger[]> {
    return (await this.#challenging.get()).challengers(id, first);
  }

  /** Block or unblock challenges from another player; return the blocked players. */
  async blockChallenger(id: string, blocked: boolean): Promise<readonly Player[]> {
    return (await this.#challenging.get()).block(id, blocked);
  }

  /** Return the players whose challenges are blocked. */
  async blockedChallengers(): Promise<readonly Player[]> {
    return (await this.#challenging.get()).blocked();
  }

  /** Remove a challenge from the player's list. */
  async hideChallenge(id: string): Promise<void> {
    await (await this.#challenging.get()).hide(id);
  }

  /**
   * Close one of the player's challenges early: new attempts are refused, and it is over once the
   * running ones have ended.
   */
  async closeChallenge(id: string): Promise<void> {
    await (await this.#challenging.get()).close(id);
  }

  /**
   * Send an emote for a player's run of a challenge, by its number (see `Emoted`), replacing the
   * previous one; null removes it. Requires a finished run of the player's own.
   */
  async emoteRun(id: string, player: string, emote: number | null): Promise<void> {
    await (await this.#challenging.get()).emote(id, player, emote);
  }

  /**
   * Challenge the same players on the same terms with a new deal. Each challenge has one shared
   * rematch.
   */
  async rematch(id: string): Promise<Challenge> {
    return (await this.#challenging.get()).rematch(id);
  }

  /** Return a deal's commitment, and its seed once it is closed. */
  showDeal(deal: string): Promise<Deal> {
    return this.#link.askWithRetry("ShowDeal", { deal });
  }

  /** Return a finished attempt with its moves and times, once its deal is closed. */
  getRun(attempt: string): Promise<Run> {
    return this.#link.askWithRetry("GetRun", { attempt });
  }

  /** Return the runs of a closed deal, best first. */
  getRuns(deal: string): Promise<Runs> {
    return this.#link.askWithRetry("GetRuns", { deal });
  }

  /** Start the player's one attempt at today's deal of a game, or resume it. */
  openDaily(game: string): Promise<void> {
    return this.#attempt.openDaily(game);
  }

  /** Reopen an attempt by its id. */
  openAttempt(id: string): Promise<void> {
    return this.#attempt.open(id);
  }

  /**
   * Play a move such as `t3>f0` immediately, before the server accepts it.
   *
   * @returns false if the move is illegal or depends on an unknown card, if the attempt is over, or
   * if too many moves are pending.
   */
  play(move: string): boolean {
    return this.#attempt.play(move);
  }

  /**
   * Undo the last move, if the attempt's `help` allows it. An undo counts as a move.
   *
   * @returns false if no move can be undone now.
   */
  undo(): boolean {
    return this.#attempt.undo();
  }

  /**
   * Request a hint, if the attempt's `help` is `hints`. The attempt's `hint` shows it too.
   *
   * @returns a move such as `t3>f0`, or null if no useful move is known.
   */
  hint(): Promise<string | null> {
    return this.#attempt.hint();
  }

  /** Take over the attempt from another tab or device (`elsewhere`). */
  takeOver(): Promise<void> {
    return this.#attempt.takeOver();
  }

  /** Resign the attempt. */
  resign(): Promise<void> {
    return this.#attempt.resign();
  }

  /** Drop the attempt from this client; it continues on the server. */
  closeAttempt(): void {
    this.#attempt.close();
  }

  /** Register a keeper, which follows the session from now on. */
  #kept<Kept extends Keeper>(keeper: Kept): Kept {
    this.#keepers.push(keeper);
    return keeper;
  }
}

function after(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}
