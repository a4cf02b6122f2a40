/** The client: one player's session, room, attempt and leaderboard, kept across reconnects. */

import type { AccountCommands } from "./account.ts";
import type { AttemptState } from "./attempt.ts";
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
import { loadLater } from "./wire.ts";

const TIMEOUT = 30_000;

export interface ClientOptions extends Partial<Surroundings> {
  /** Where the server listens, as in `wss://example.org/socket`. */
  readonly url: string;
  /** The name of a new guest. */
  readonly name?: string;
  readonly storage?: TokenStorage;
  /** Needed in Node: `nodeSocket` from `./node`. */
  readonly openSocket?: OpenSocket;
  /**
   * Milliseconds that a command waits for a session before it is refused as `unreachable`. The
   * default is 30 seconds; Infinity means no timeout.
   */
  readonly timeout?: number;
}

/**
 * A client of one player. Its promises reject with a `Refusal`.
 *
 * A command in flight when the connection is lost is refused as `disconnected`, unless it is
 * idempotent: then it waits for the next session, up to the `timeout`, and is also retried while
 * the server is `unavailable` or `overloaded`.
 */
export class Client {
  readonly status: Readable<Status>;
  /** Why the last try to open a session failed; null while one is open. */
  readonly failure: Readable<ConnectFailure | null>;
  /** Whether a command is being retried because the server cannot do it just now. */
  readonly stalled: Readable<boolean>;
  readonly player: Readable<Player | null>;
  /** The room that the player sits in, or watches; the runners of its round are kept up to date. */
  readonly room: Readable<RoomState | null>;
  /** The room that a host has removed the player from, or that was closed; null once in another. */
  readonly removed: Readable<Removed | null>;
  /** The last emote in the room, the player's own too; null if there was none in this session. */
  readonly emoted: Readable<Emoted | null>;
  /** Players of a room at one address; only its host is told. Friends often are. */
  readonly neighbours: Readable<Neighbours | null>;
  /** The attempt that is being played: opened here, or begun by the server with a round. */
  readonly attempt: Readable<AttemptState | null>;
  readonly leaderboard: Readable<Leaderboard | null>;
  readonly dailies: Readable<Dailies | null>;
  /** The challenge that is looked at, kept up to date. */
  readonly challenge: Readable<Challenge | null>;
  /** The player's challenges, as they were last listed, or told since by the server. */
  readonly challenges: Readable<readonly ChallengeRow[] | null>;
  /** The boards of the round that is watched, kept up to date. */
  readonly watched: Readable<WatchedRound | null>;
  /** That the player watches a room no more, and why; null once another one is watched. */
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

  constructor(options: ClientOptions) {
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
    // The attempt resumes before its room, since a room sends attempts that were not opened.
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

  /** End the session; commands that wait are refused as `disconnected`. */
  close(): void {
    this.#removeWakeListeners?.();
    this.#removeWakeListeners = null;
    this.#connection.close();
  }

  /** The server's time in Unix milliseconds, as estimated here. */
  now(): number {
    return this.#connection.now();
  }

  /** The player's account: how the identity is kept, signing in and out, deleting. */
  account(): Promise<AccountCommands> {
    return this.#account.get();
  }

  /** The player's circles, and the one that is looked at. */
  circles(): Promise<CircleCommands> {
    return this.#circling.get();
  }

  /** What the player is told while no page is open. */
  push(): Promise<PushCommands> {
    return this.#push.get();
  }

  /** What operators do, on a server that has some and knows this player as one. */
  operators(): Promise<OperatorCommands> {
    return this.#operators.get();
  }

  /** Report a player, or a run that everybody may look at; `about` is the id. */
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

  /** Open a room and take its first seat; `limit` is in seconds a round. */
  createRoom(settings: RoomSettings): Promise<RoomState> {
    return this.#room.create(settings);
  }

  /**
   * Look for somebody to race at a game: take a seat in a room in which somebody waits, or wait in
   * a new one, to which the pace bot comes after a while. `leaveRoom` ends the wait.
   */
  quickMatch(game: string): Promise<RoomState> {
    return this.#room.match(game);
  }

  /** Take a seat in a room, or return to the one that the player has. */
  joinRoom(code: string): Promise<RoomState> {
    return this.#room.join(code);
  }

  /** Give the seat up; an attempt at a running round is resigned. */
  leaveRoom(): Promise<void> {
    return this.#room.leave();
  }

  /**
   * Agree to the next round, or sit out until one says true. Whoever joins before the first round
   * has agreed to it; each later one takes a new word.
   */
  async setReady(ready: boolean): Promise<void> {
    await this.#link.ask("SetReady", { code: this.#room.code(), ready });
  }

  /**
   * Agree to the next round, unless the player sits out, and start it with everyone who is here and
   * agrees. The first one is started by the host, later ones by any member.
   *
   * @param anyway whether to start without members who do not sit out, and are away or have not
   * agreed; if not, it is refused as `players_away` or `not_ready`.
   */
  async startRound(anyway = false): Promise<void> {
    await this.#link.ask("StartRound", { code: this.#room.code(), anyway });
  }

  /** Set what the next rounds are played by; only the host may. */
  async setTerms(terms: Terms): Promise<void> {
    await this.#link.ask("SetTerms", { code: this.#room.code(), ...terms });
  }

  /** Propose to the host what the next rounds are played by. */
  async proposeTerms(terms: Terms): Promise<void> {
    await this.#link.ask("ProposeTerms", { code: this.#room.code(), ...terms });
  }

  /** Take a member's seat away for good; only the host may. */
  async removeMember(player: string): Promise<void> {
    await this.#link.ask("RemoveMember", { code: this.#room.code(), player });
  }

  /** Make another member the host; only the host may. */
  async handOver(player: string): Promise<void> {
    await this.#link.ask("HandOver", { code: this.#room.code(), player });
  }

  /** Lock the room, so that nobody takes a seat who has none, or unlock it; only the host may. */
  async setLock(locked: boolean): Promise<void> {
    await this.#link.ask("SetLock", { code: this.#room.code(), locked });
  }

  /** Open the room to anybody, who then finds it by `listRooms`, or close it; only the host may. */
  async setPublic(open: boolean): Promise<void> {
    await this.#link.ask("SetPublic", { code: this.#room.code(), public: open });
  }

  /** Ask for the public rooms that have a free seat, and somebody in them. */
  async listRooms(): Promise<readonly OpenRoom[]> {
    return (await this.#link.askWithRetry("ListRooms", {})).rooms;
  }

  /** Send an emote to all who are in the room, by its number (see `Emoted`); only members may. */
  async sendEmote(emote: number): Promise<void> {
    await this.#link.ask("SendEmote", { code: this.#room.code(), emote });
  }

  /**
   * Watch the rounds of a room, which `watched` shows, without taking a seat. Refused as
   * `still_racing` while the player's own attempt runs; when it begins, the watching ends.
   *
   * @param key the room's watch key; members need none.
   */
  async watch(code: string, key: string | null = null): Promise<void> {
    await (await this.#watching.get()).watch(code, key);
  }

  /** Watch no more. */
  async stopWatching(): Promise<void> {
    await this.#watching.ifNeeded((keeper) => keeper.stop());
  }

  /** Ask for the key with which anybody may watch the room; only the host may. */
  async getWatchKey(): Promise<string> {
    return (await this.#link.askWithRetry("GetWatchKey", { code: this.#room.code() })).key;
  }

  /** Ask for the deals of the day, which `dailies` shows. */
  listDailies(): Promise<Dailies> {
    return this.#leaderboard.list();
  }

  /**
   * Subscribe to a leaderboard, instead of any other.
   *
   * @param wanted which one; a game stands for its day's.
   * @param day if `wanted` is a game: the day, today by default.
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

  /** Make a challenge, whose link others play by; it is not looked at yet. */
  async createChallenge(settings: ChallengeSettings): Promise<Challenge> {
    return (await this.#challenging.get()).create(settings);
  }

  /** Look at a challenge, instead of any other; `challenge` shows it. */
  async watchChallenge(id: string): Promise<void> {
    await (await this.#challenging.get()).watch(id);
  }

  /** Look at the challenge no more. */
  async unwatchChallenge(): Promise<void> {
    await this.#challenging.ifNeeded((keeper) => keeper.unwatch());
  }

  /** Start the player's one attempt at a challenge, or resume it. */
  async playChallenge(id: string): Promise<void> {
    await this.#challenging.get();
    await this.#attempt.openChallenge(id);
  }

  /** Ask for the player's challenges; `seen` says that what is new in them has been seen now. */
  async listChallenges(seen = false): Promise<readonly ChallengeRow[]> {
    return (await this.#challenging.get()).list(seen);
  }

  /** Ask for the 50 rows of a challenge's table from a number on; `challenge` has the first ones. */
  async challengers(id: string, first: number): Promise<readonly Challenger[]> {
    return (await this.#challenging.get()).challengers(id, first);
  }

  /** Set whether challenges of another player are unwanted; return those whose are. */
  async blockChallenger(id: string, blocked: boolean): Promise<readonly Player[]> {
    return (await this.#challenging.get()).block(id, blocked);
  }

  /** Ask whose challenges are unwanted. */
  async blockedChallengers(): Promise<readonly Player[]> {
    return (await this.#challenging.get()).blocked();
  }

  /** Take a challenge off the player's list. */
  async hideChallenge(id: string): Promise<void> {
    await (await this.#challenging.get()).hide(id);
  }

  /**
   * Close a challenge of the player's before its date: nobody begins any more, and it is over when
   * those who are playing have ended.
   */
  async closeChallenge(id: string): Promise<void> {
    await (await this.#challenging.get()).close(id);
  }

  /**
   * Send an emote for a player's run of a challenge, by its number (see `Emoted`), in place of the
   * one before; null takes it back. Only who has ended may.
   */
  async emoteRun(id: string, player: string, emote: number | null): Promise<void> {
    await (await this.#challenging.get()).emote(id, player, emote);
  }

  /** Challenge the same people by the same terms, on a new deal; there is one rematch for all. */
  async rematch(id: string): Promise<Challenge> {
    return (await this.#challenging.get()).rematch(id);
  }

  /** Ask for a deal's commitment, and for its seed once it is closed. */
  showDeal(deal: string): Promise<Deal> {
    return this.#link.askWithRetry("ShowDeal", { deal });
  }

  /** Ask for an attempt that is over, with its moves and times, once its deal is closed. */
  getRun(attempt: string): Promise<Run> {
    return this.#link.askWithRetry("GetRun", { attempt });
  }

  /** Ask for the runs on a deal that is closed, best first. */
  getRuns(deal: string): Promise<Runs> {
    return this.#link.askWithRetry("GetRuns", { deal });
  }

  /** Start the player's one attempt at today's deal of a game, or resume it. */
  openDaily(game: string): Promise<void> {
    return this.#attempt.openDaily(game);
  }

  /** Return to an attempt by its id. */
  openAttempt(id: string): Promise<void> {
    return this.#attempt.open(id);
  }

  /**
   * Play a move such as `t3>f0` at once, before the server accepts it.
   *
   * @returns false if it is not legal or depends on a card that is not known yet, if the attempt is
   *   over, or if too many moves are pending.
   */
  play(move: string): boolean {
    return this.#attempt.play(move);
  }

  /**
   * Undo the last move, where `help` of the attempt allows it. It counts as a move.
   *
   * @returns false if there is no move to undo just now.
   */
  undo(): boolean {
    return this.#attempt.undo();
  }

  /**
   * Ask for a hint, where `help` of the attempt is `hints`. It also shows as `hint` of the attempt.
   *
   * @returns a move such as `t3>f0`, or null if no move is known to get further.
   */
  hint(): Promise<string | null> {
    return this.#attempt.hint();
  }

  /** Play the attempt here, if another tab or device plays it (`elsewhere`). */
  takeOver(): Promise<void> {
    return this.#attempt.takeOver();
  }

  /** Resign the attempt. */
  resign(): Promise<void> {
    return this.#attempt.resign();
  }

  /** Drop the attempt from this client; on the server it goes on. */
  closeAttempt(): void {
    this.#attempt.close();
  }

  /** A keeper that follows the session from now on. */
  #kept<Kept extends Keeper>(keeper: Kept): Kept {
    this.#keepers.push(keeper);
    return keeper;
  }
}

function after(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}
