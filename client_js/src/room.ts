/** The room that the player sits in. */

import { bytesToHex, randomBytes } from "@noble/hashes/utils.js";
import type { Keeper, Link } from "./link.ts";
import type { CommandFields, CommandType, Event, Progress, RoomState } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import { Store } from "./store.ts";

/** What a room is opened with. */
export type RoomSettings = Omit<CommandFields["room.create"], "key">;

export class RoomKeeper implements Keeper {
  readonly room = new Store<RoomState | null>(null);
  readonly #link: Link;
  /** Stands for the room that was last asked for, until it is left. */
  #wish: object | null = null;
  /** Whether this session has told of the room: from then on, lower versions are old news. */
  #told = false;

  constructor(link: Link) {
    this.#link = link;
  }

  create(settings: RoomSettings): Promise<RoomState> {
    const fields = { ...settings, key: bytesToHex(randomBytes(16)) };
    return this.#link.persist("room.create", fields, this.#wished());
  }

  join(code: string): Promise<RoomState> {
    return this.#link.persist("room.join", { code }, this.#wished());
  }

  async leave(): Promise<void> {
    const room = this.room.get();
    this.#wish = null;
    if (room !== null) await this.#link.ask("room.leave", { code: room.code });
  }

  async setReady(ready: boolean): Promise<void> {
    await this.#link.ask("room.ready", { code: this.#code(), ready });
  }

  async start(): Promise<void> {
    await this.#link.ask("room.start", { code: this.#code() });
  }

  resume(): void {
    this.#told = false;
    this.#link.insist(
      () => {
        const room = this.room.get();
        return room === null ? undefined : this.#link.ask("room.join", { code: room.code }, false);
      },
      ["unknown_room", "room_full"],
      () => this.room.set(null),
    );
  }

  handle(event: Event, answered: CommandType | null): void {
    if (event.type === "room") this.#changed(event, answered !== null);
    else if (event.type === "progress") this.#progressed(event);
    else if (event.type === "done" && answered === "room.leave") this.room.set(null);
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
    const known = this.room.get();
    const newer = known?.code === room.code ? !this.#told || room.version >= known.version : asked;
    // What is not asked for and of another room is news of one that was left.
    if (!newer) return;
    this.#told = true;
    this.room.set(room);
  }

  #progressed({ code, number, runners }: Progress): void {
    const room = this.room.get();
    const round = room?.round;
    if (!room || !round || room.code !== code || round.number !== number || round.over) return;
    const results = new Map(runners.map(({ player, result }) => [player, result]));
    const folded = round.runners.map((runner) => {
      const result = results.get(runner.player.id);
      return result === undefined ? runner : { ...runner, result };
    });
    this.room.set({ ...room, round: { ...round, runners: folded } });
  }
}
