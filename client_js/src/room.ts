/** The room that the player sits in, or watches. */

import type { Keeper, Link } from "./link.ts";
import type { CreateRoom, Emoted, Neighbours, Removed, RoomState, SetTerms } from "./messages.ts";
import type { Command, Event, Progress } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import { Store } from "./store.ts";

/** Options of a new room. */
export type RoomSettings = Omit<CreateRoom, "key">;

/** Terms of a round; `limit` is in seconds. */
export type Terms = Omit<SetTerms, "code">;

/** A new random key: 32 hexadecimal digits. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class RoomKeeper implements Keeper {
  readonly room = new Store<RoomState | null>(null);
  /** The room that a host has removed the player from, or that was closed, until another one. */
  readonly removed = new Store<Removed | null>(null);
  /** The last emote in the room in this session. */
  readonly emoted = new Store<Emoted | null>(null);
  /** Players of a room at one address, as only its host is told. */
  readonly neighbours = new Store<Neighbours | null>(null);
  readonly #link: Link;
  /** Identifies the last call to create or join a room; null once it is left. */
  #latest: object | null = null;
  /** The code of a room that is only watched: its state comes unasked, and no seat is taken. */
  #watched: string | null = null;
  /** Whether this session has sent the room: from then on, lower versions are stale. */
  #received = false;
  /** The room that was received last, even if stale: `Progress` refers to its runners. */
  #lastSent: RoomState | null = null;

  constructor(link: Link) {
    this.#link = link;
  }

  create(settings: RoomSettings): Promise<RoomState> {
    const fields = { ...settings, key: newKey() };
    return this.#link.askWithRetry("CreateRoom", fields, this.#supersede());
  }

  match(game: string): Promise<RoomState> {
    return this.#link.askWithRetry("QuickMatch", { game }, this.#supersede());
  }

  join(code: string): Promise<RoomState> {
    return this.#link.askWithRetry("JoinRoom", { code }, this.#supersede());
  }

  async leave(): Promise<void> {
    const room = this.room.get();
    this.#latest = null;
    if (room === null) return;
    try {
      await this.#link.ask("LeaveRoom", { code: room.code });
    } catch (error) {
      // There is no seat any more: it was left before, and the answer did not come.
      if (!(error instanceof Refusal && error.code === "unknown_room")) throw error;
      this.room.set(null);
    }
  }

  /** Take the state of a room that is watched without a seat, unless the player sits there. */
  follow(code: string): void {
    if (this.room.get()?.code === code) return;
    this.#supersede();
    this.#watched = code;
  }

  /** Forget a room that was only watched. */
  unfollow(): void {
    if (this.#watched === null) return;
    if (this.room.get()?.code === this.#watched) this.room.set(null);
    this.#watched = null;
  }

  /** The code of the room that the player sits in; throws a `Refusal` if there is none. */
  code(): string {
    const room = this.room.get();
    if (room === null) throw new Refusal("not_seated", "You have no seat in a room.");
    return room.code;
  }

  forget(): void {
    this.#latest = null;
    this.#watched = null;
    this.room.set(null);
    this.removed.set(null);
  }

  resume(): void {
    this.#received = false;
    this.emoted.set(null);
    // A session is told anew what there is to tell, and not that there is nothing.
    this.neighbours.set(null);
    this.#link.askUntilAnswered(
      () => {
        const room = this.room.get();
        if (room === null || room.code === this.#watched) return undefined;
        return this.#link.ask("JoinRoom", { code: room.code }, false);
      },
      ["unknown_room", "room_full", "room_locked", "room_closed", "removed"],
      (refusal) => {
        const room = this.room.get();
        const closed = refusal.code === "room_closed";
        if (room !== null && (closed || refusal.code === "removed")) {
          this.#removedFrom({ code: room.code, closed });
        } else this.room.set(null);
      },
    );
  }

  handle(event: Event, answered: Command | null): void {
    if (event.type === "RoomState") {
      if (answered?.type === "JoinRoom" || answered?.type === "CreateRoom") this.#watched = null;
      this.#changed(event, answered !== null || event.code === this.#watched);
    }
    if (event.type === "Progress") this.#progressed(event);
    else if (event.type === "Removed") {
      this.#removedFrom({ code: event.code, closed: event.closed });
    } else if (event.type === "Emoted") this.#emoted(event);
    else if (event.type === "Neighbours") this.neighbours.set(event);
    else if (event.type === "Done" && answered?.type === "LeaveRoom") this.room.set(null);
  }

  /** Supersede earlier calls; returns a function that tells whether this is still the latest. */
  #supersede(): () => boolean {
    const latest = (this.#latest = {});
    return () => this.#latest === latest;
  }

  #removedFrom(removed: Removed): void {
    if (this.room.get()?.code !== removed.code) return;
    this.#latest = null;
    this.room.set(null);
    this.removed.set(removed);
  }

  #emoted(emoted: Emoted): void {
    // One of another room is a late one, of a room that was left.
    if (this.room.get()?.code === emoted.code) this.emoted.set(emoted);
  }

  #changed(room: RoomState, asked: boolean): void {
    this.#lastSent = room;
    const known = this.room.get();
    const newer =
      known?.code === room.code ? !this.#received || room.version >= known.version : asked;
    // An unsolicited state of another room is a late one, of a room that was left.
    if (!newer) return;
    this.#received = true;
    this.removed.set(null);
    this.room.set(room);
  }

  #progressed({ counters }: Progress): void {
    const room = this.room.get();
    const round = room?.round;
    const about = this.#lastSent?.round;
    if (!room || !round || round.over || round.deal !== about?.deal) return;
    const further = new Map(
      counters.map(({ runner, home, moves }) => [about.runners[runner]?.attempt, { home, moves }]),
    );
    const runners = round.runners.map((runner) => {
      const { result } = runner;
      const now = further.get(runner.attempt);
      if (now === undefined) return runner;
      return {
        ...runner,
        result: { ...result, ...now, left: result.left + result.home - now.home },
      };
    });
    this.room.set({ ...room, round: { ...round, runners } });
  }
}
