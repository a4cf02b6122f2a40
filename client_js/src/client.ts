/** The client: one player's session, room, attempt and leaderboard, kept up through reconnects. */

import type { AttemptState } from "./attempt.ts";
import { onAwake } from "./awake.ts";
import { type ConnectFailure, Connection, type Status, type Surroundings } from "./connection.ts";
import { LeaderboardKeeper } from "./leaderboard.ts";
import { type Keeper, Link } from "./link.ts";
import { AttemptKeeper } from "./playing.ts";
import type { Dailies, Deal, Leaderboard, Player, RoomState } from "./messages.ts";
import { Retries } from "./retries.ts";
import { RoomKeeper, type RoomSettings } from "./room.ts";
import { type OpenSocket, browserSocket } from "./socket.ts";
import { type TokenStorage, defaultStorage } from "./storage.ts";
import { type Readable, Store } from "./store.ts";

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
   * Milliseconds for which a command waits for a session until it is refused as `unreachable`; 30
   * seconds unless given, and Infinity for as long as it takes.
   */
  readonly timeout?: number;
}

/**
 * Its promises reject with a `Refusal`. What was under way when the connection broke is refused as
 * `disconnected`, unless asking again does no harm: then it waits for the next session, up to the
 * `timeout`, and is also asked again while the server cannot do it just now.
 */
export class Client {
  readonly status: Readable<Status>;
  /** Why the last try to open a session has failed; null while one is open. */
  readonly failure: Readable<ConnectFailure | null>;
  /** Whether something waits that the server cannot do just now; it is asked again by itself. */
  readonly stalled: Readable<boolean>;
  readonly player: Readable<Player | null>;
  /** The room that the player sits in; the runners of its round are kept up to date. */
  readonly room: Readable<RoomState | null>;
  /** The attempt that is being played: opened here, or begun by the server with a round. */
  readonly attempt: Readable<AttemptState | null>;
  readonly leaderboard: Readable<Leaderboard | null>;
  readonly dailies: Readable<Dailies | null>;

  readonly #connection: Connection;
  readonly #link: Link;
  readonly #player = new Store<Player | null>(null);
  readonly #room: RoomKeeper;
  readonly #attempt: AttemptKeeper;
  readonly #leaderboard: LeaderboardKeeper;
  #stopWaking: (() => void) | null = null;

  constructor(options: ClientOptions) {
    const surroundings: Surroundings = {
      now: options.now ?? (() => Date.now()),
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
        keepers.forEach((keeper) => keeper.resume());
      },
      onEvent: (event, answered) => keepers.forEach((keeper) => keeper.handle(event, answered)),
    });
    const retries = new Retries(surroundings);
    this.#link = new Link(this.#connection, retries);
    this.#room = new RoomKeeper(this.#link);
    this.#attempt = new AttemptKeeper(this.#link);
    this.#leaderboard = new LeaderboardKeeper(this.#link);
    // The attempt comes before its room: a room sends an attempt that was not opened.
    const keepers: Keeper[] = [this.#attempt, this.#room, this.#leaderboard];

    this.status = this.#connection.status;
    this.failure = this.#connection.failure;
    this.stalled = retries.stalled;
    this.player = this.#player;
    this.room = this.#room.room;
    this.attempt = this.#attempt.state;
    this.leaderboard = this.#leaderboard.leaderboard;
    this.dailies = this.#leaderboard.dailies;
    this.status.subscribe((status) => {
      if (status === "open") return;
      this.#link.lost();
      keepers.forEach((keeper) => keeper.lost?.());
    });
  }

  /** Open a session, and come back whenever it is lost, until `close`. */
  connect(): void {
    this.#stopWaking ??= onAwake(() => this.#connection.wake());
    this.#connection.connect();
  }

  close(): void {
    this.#stopWaking?.();
    this.#stopWaking = null;
    this.#connection.close();
  }

  /** The server's time in milliseconds. */
  now(): number {
    return this.#connection.now();
  }

  async rename(name: string): Promise<void> {
    await this.#link.ask("Rename", { name });
    const player = this.#player.get();
    if (player !== null) this.#player.set({ ...player, name });
  }

  createRoom(settings: RoomSettings): Promise<RoomState> {
    return this.#room.create(settings);
  }

  /** Take a seat, or come back to the one that the player has. */
  joinRoom(code: string): Promise<RoomState> {
    return this.#room.join(code);
  }

  leaveRoom(): Promise<void> {
    return this.#room.leave();
  }

  /** Say whether the player will be in the next round. */
  setReady(ready: boolean): Promise<void> {
    return this.#room.setReady(ready);
  }

  /** Start a round with everyone who is ready; only the host may. */
  startRound(): Promise<void> {
    return this.#room.start();
  }

  listDailies(): Promise<Dailies> {
    return this.#leaderboard.list();
  }

  /** Follow the leaderboard of a game's day, today's if none is given, instead of any other. */
  watchLeaderboard(game: string, day?: number | null): Promise<void> {
    return this.#leaderboard.watch(game, day ?? null);
  }

  unwatchLeaderboard(): Promise<void> {
    return this.#leaderboard.unwatch();
  }

  showDeal(deal: string): Promise<Deal> {
    return this.#link.persist("ShowDeal", { deal });
  }

  /** Start the player's one attempt at today's deal of a game, or come back to it. */
  openDaily(game: string): Promise<void> {
    return this.#attempt.openDaily(game);
  }

  openAttempt(id: string): Promise<void> {
    return this.#attempt.open(id);
  }

  /**
   * Play a move at once, ahead of the server's word.
   *
   * @returns false if it is not legal, or depends on a card that is not known yet, if the attempt is
   * over, or if too many moves are still on their way.
   */
  play(move: string): boolean {
    return this.#attempt.play(move);
  }

  /** End the attempt as it stands. */
  resign(): Promise<void> {
    return this.#attempt.resign();
  }

  /** Forget the attempt here; for the server it goes on. */
  closeAttempt(): void {
    this.#attempt.close();
  }
}

function after(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}
