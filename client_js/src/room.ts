/** The player's room, or the watched room. */

import type { Keeper, Link } from "./link.ts";
import type { CreateRoom, Emoted, Neighbours, Removed, RoomState, SetTerms } from "./messages.ts";
import type { Command, Event, Progress } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import { Store } from "./store.ts";

/** Options of a new room. */
export type RoomSettings = Omit<CreateRoom, "key">;

/** Terms of a round; `limit` is in seconds. */
export type Terms = Omit<SetTerms, "code">;

/** Return a new random key: 32 hexadecimal digits. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class RoomKeeper implements Keeper {
  readonly room = new Store<RoomState | null>(null);
  /** The room that removed the player or was closed; null once in another room. */
  readonly removed = new Store<Removed | null>(null);
  /** The last emote in the room in this session. */
  readonly emoted = new Store<Emoted | null>(null);
  /** Players of the room who share an address; only the host receives this. */
  readonly neighbours = new Store<Neighbours | null>(null);
  readonly #link: Link;
  /** Identifies the last call to create or join a room; null after leaving it. */
  #latest: object | null = null;
  /** The code of a room that is only watched: its state arrives unsolicited, without a seat. */
  #watched: string | null = null;
  /** Whether this session has sent the room. From then on, lower versions are stale. */
  #received = false;
  /** The last received room, even if stale: `Progress` refers to its runners. */
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
      // The seat is already gone: an earlier command left it, and its answer was lost.
      if (!(error instanceof Refusal && error.code === "unknown_room")) throw error;
      this.room.set(null);
    }
  }

  /** Accept the state of a watched room, unless the player has a seat there. */
  follow(code: string): void {
    if (this.room.get()?.code === code) return;
    this.#supersede();
    this.#watched = code;
  }

  /** Drop a room that was only watched. */
  unfollow(): void {
    if (this.#watched === null) return;
    if (this.room.get()?.code === this.#watched) this.room.set(null);
    this.#watched = null;
  }

  /** Return the code of the player's room; throw a `Refusal` if the player has none. */
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
    // A new session reports neighbours again, but not their absence.
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

  /** Supersede earlier calls; return a function that reports whether this is the latest. */
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
    // An emote of another room is a late one of a room that the player left.
    if (this.room.get()?.code === emoted.code) this.emoted.set(emoted);
  }

  #changed(room: RoomState, asked: boolean): void {
    this.#lastSent = room;
    const known = this.room.get();
    const newer =
      known?.code === room.code ? !this.#received || room.version >= known.version : asked;
    // An unsolicited state of another room is a late one of a room that the player left.
    if (!newer) return;
    this.#received = true;
    this.removed.set(null);
    this.room.set(room);
  }

  #progressed({ counters }: Progress): void {
    const room = this.room.get();
    const round = room?.round;
    const about = this.#lastSent?.round;
    // Progress of an earlier round may arrive late.
    if (!room || !round || round.over || round.deal !== about?.deal) return;
    const further = new Map(
      counters.map(({ runner, ...counted }) => [about.runners[runner]?.attempt, counted]),
    );
    const runners = round.runners.map((runner) => {
      const { result } = runner;
      const now = further.get(runner.attempt);
      if (now === undefined) return runner;
      const { headway, home, moves } = now;
      const left = result.left + result.home - home;
      return { ...runner, headway, result: { ...result, home, moves, left } };
    });
    this.room.set({ ...room, round: { ...round, runners } });
  }
}
