/** The watched leaderboard, and the day's deals. */

import type { Keeper, Link } from "./link.ts";
import type { Dailies, Leaderboard, LeaderboardChange, WatchLeaderboard } from "./messages.ts";
import type { Event } from "./protocol.ts";
import { Store } from "./store.ts";

export class LeaderboardKeeper implements Keeper {
  readonly leaderboard = new Store<Leaderboard | null>(null);
  readonly dailies = new Store<Dailies | null>(null);
  readonly #link: Link;
  #watched: WatchLeaderboard | null = null;

  constructor(link: Link) {
    this.#link = link;
  }

  list(): Promise<Dailies> {
    return this.#link.askWithRetry("ListDailies", {});
  }

  async watch(wanted: WatchLeaderboard): Promise<void> {
    this.#watched = wanted;
    this.leaderboard.set(null);
    try {
      await this.#link.askWithRetry("WatchLeaderboard", wanted, () => this.#watched === wanted);
    } catch (refusal) {
      if (this.#watched === wanted) this.#watched = null;
      throw refusal;
    }
  }

  async unwatch(): Promise<void> {
    if (this.#watched === null) return;
    this.#watched = null;
    this.leaderboard.set(null);
    await this.#link.ask("UnwatchLeaderboard", {});
  }

  forget(): void {
    this.dailies.set(null);
  }

  resume(): void {
    this.#link.askUntilAnswered(
      () =>
        this.#watched === null
          ? undefined
          : this.#link.ask("WatchLeaderboard", this.#watched, false),
      ["unknown_game", "unknown_day", "unknown_board"],
      () => (this.#watched = null),
    );
  }

  handle(event: Event): void {
    if (event.type === "Dailies") this.dailies.set(event);
    else if (event.type === "LeaderboardChange") this.#changed(event);
    if (event.type !== "Leaderboard" || this.#watched === null) return;
    const { game, day, scope = "day", group, variant } = this.#watched;
    // An event of the previously watched leaderboard may arrive late.
    const wanted =
      event.game === game &&
      event.scope === scope &&
      (day ?? event.day) === event.day &&
      (group ?? event.group) === event.group &&
      (variant ?? event.variant) === event.variant;
    if (wanted) this.leaderboard.set(event);
  }

  /** Apply a change. Ignore one that precedes the leaderboard: it belongs to the previous one. */
  #changed({ size, top, around, rivals, middle }: LeaderboardChange): void {
    const known = this.leaderboard.get();
    if (known === null) return;
    this.leaderboard.set({
      ...known,
      size,
      top: top ?? known.top,
      around: around ?? known.around,
      rivals: rivals ?? known.rivals,
      middle: size === 0 ? null : (middle ?? known.middle),
    });
  }
}
