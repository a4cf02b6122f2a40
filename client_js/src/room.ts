/** The room that the player sits in. */

import { bytesToHex, randomBytes } from "@noble/hashes/utils.js";
import type { Keeper, Link } from "./link.ts";
import type { CreateRoom, RoomState } from "./messages.ts";
import type { Command, Event, Progress } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import { Store } from "./store.ts";

/** What a room is opened with. */
export type RoomSettings = Omit<CreateRoom, "key">;

export class RoomKeeper implements Keeper {
  readonly room = new Store<RoomState | null>(null);
  readonly #link: Link;
  /** Stands for the room that was last asked for, until it is left. */
  #wish: object | null = null;
  /** Whether this session has told of the room: from then on, lower versions are old news. */
  #told = false;
  /** The one that was sent last, whatever became of it here: progress is about its runners. */
  #sent: RoomState | null = null;

  constructor(link: Link) {
    this.#link = link;
  }

  create(settings: RoomSettings): Promise<RoomState> {
    const fields = { ...settings, key: bytesToHex(randomBytes(16)) };
    return this.#link.persist("CreateRoom", fields, this.#wished());
  }

  join(code: string): Promise<RoomState> {
    return this.#link.persist("JoinRoom", { code }, this.#wished());
  }

  async leave(): Promise<void> {
    const room = this.room.get();
    this.#wish = null;
    if (room !== null) await this.#link.ask("LeaveRoom", { code: room.code });
  }

  async setReady(ready: boolean): Promise<void> {
    await this.#link.ask("SetReady", { code: this.#code(), ready });
  }

  async start(): Promise<void> {
    await this.#link.ask("StartRound", { code: this.#code() });
  }

  resume(): void {
    this.#told = false;
    this.#link.insist(
      () => {
        const room = this.room.get();
        return room === null ? undefined : this.#link.ask("JoinRoom", { code: room.code }, false);
      },
      ["unknown_room", "room_full"],
      () => this.room.set(null),
    );
  }

  handle(event: Event, answered: Command | null): void {
    if (event.type === "RoomState") this.#changed(event, answered !== null);
    else if (event.type === "Progress") this.#progressed(event);
    else if (event.type === "Done" && answered?.type === "LeaveRoom") this.room.set(null);
  }

  /** Whether the room that is asked for now is still the one that is wanted, as time goes on. */
  #wished(): () => boolean {
    const wish = (this.#wish = {});
    return () => this.#wish === wish;
  }

  #code(): string {
    const room = this.room.get();
    if (room === null) throw new Refusal("not_seated", "You have no seat in a room.");
    return room.code;
  }

  #changed(room: RoomState, asked: boolean): void {
    this.#sent = room;
    const known = this.room.get();
    const newer = known?.code === room.code ? !this.#told || room.version >= known.version : asked;
    // What is not asked for and of another room is news of one that was left.
    if (!newer) return;
    this.#told = true;
    this.room.set(room);
  }

  #progressed({ counters }: Progress): void {
    const room = this.room.get();
    const round = room?.round;
    const about = this.#sent?.round;
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
