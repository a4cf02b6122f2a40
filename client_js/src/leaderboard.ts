/** The leaderboard that is watched, and the day's deals. */

import type { Keeper, Link } from "./link.ts";
import type { Dailies, Event, Leaderboard } from "./protocol.ts";
import { Store } from "./store.ts";

export class LeaderboardKeeper implements Keeper {
  readonly leaderboard = new Store<Leaderboard | null>(null);
  readonly dailies = new Store<Dailies | null>(null);
  readonly #link: Link;
  #watched: { readonly game: string; readonly day: number | null } | null = null;

  constructor(link: Link) {
    this.#link = link;
  }

  list(): Promise<Dailies> {
    return this.#link.persist("daily.list", {});
  }

  async watch(game: string, day: number | null): Promise<void> {
    const watched = { game, day };
    this.#watched = watched;
    this.leaderboard.set(null);
    try {
      await this.#link.persist("leaderboard.watch", watched, () => this.#watched === watched);
    } catch (refusal) {
      if (this.#watched === watched) this.#watched = null;
      throw refusal;
    }
  }

  async unwatch(): Promise<void> {
    if (this.#watched === null) return;
    this.#watched = null;
    this.leaderboard.set(null);
    await this.#link.ask("leaderboard.unwatch", {});
  }

  resume(): void {
    this.#link.insist(
      () =>
        this.#watched === null
          ? undefined
          : this.#link.ask("leaderboard.watch", this.#watched, false),
      ["unknown_game", "unknown_day"],
      () => (this.#watched = null),
    );
  }

  handle(event: Event): void {
    if (event.type === "dailies") this.dailies.set(event);
    if (event.type !== "leaderboard" || this.#watched === null) return;
    const { game, day } = this.#watched;
    // One that was watched before may still be on its way.
    if (event.game === game && (day ?? event.day) === event.day) this.leaderboard.set(event);
  }
}
