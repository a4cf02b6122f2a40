/** The player's circles and the watched circle. Loaded on first use. */

import type { Keeper, Link } from "./link.ts";
import type {
  Circle,
  CircleFeed,
  CircleGone,
  CircleSummary,
  CircleTable,
  GetCircleTable,
  HeadToHead,
  Invitation,
  LeagueTerms,
  SetCircleWebhook,
} from "./messages.ts";
import type { AnswerTo, Command, CommandFields, CommandType, Event } from "./protocol.ts";
import { newKey } from "./room.ts";
import { type Readable, Store } from "./store.ts";

/** Keeps the watched circle and the list of the player's circles current across reconnects. */
export class CircleKeeper implements Keeper {
  readonly circle = new Store<Circle | null>(null);
  readonly gone = new Store<CircleGone | null>(null);
  readonly circles = new Store<readonly CircleSummary[] | null>(null);
  readonly #link: Link;
  /** The id of the watched circle. */
  #wanted: string | null = null;

  constructor(link: Link) {
    this.#link = link;
  }

  async watch(circle: string): Promise<void> {
    this.#want(circle);
    this.gone.set(null);
    const wanted = () => this.#wanted === circle;
    try {
      await this.#link.askWithRetry("WatchCircle", { circle }, wanted, true);
    } catch (refusal) {
      if (wanted()) this.#want(null);
      throw refusal;
    }
  }

  async unwatch(): Promise<void> {
    if (this.#wanted === null) return;
    this.#want(null);
    await this.#link.ask("UnwatchCircle", {});
  }

  forget(): void {
    this.circle.set(null);
    this.circles.set(null);
  }

  resume(): void {
    this.#link.askUntilAnswered(
      () => {
        const circle = this.#wanted;
        return circle === null ? undefined : this.#link.ask("WatchCircle", { circle }, false);
      },
      ["unknown_circle"],
      () => this.#lose(false),
    );
  }

  handle(event: Event, answered: Command | null): void {
    if (event.type === "Circle") this.#show(event);
    else if (event.type === "Circles") this.#list(event.circles, answered);
    else if (event.type === "CircleGone" && event.circle === this.#wanted) {
      this.#lose(event.deleted);
    }
  }

  #want(circle: string | null): void {
    // Watching the same circle again must not blank the screen.
    if (this.circle.get()?.circle !== circle) this.circle.set(null);
    this.#wanted = circle;
  }

  #lose(deleted: boolean): void {
    const circle = this.#wanted;
    this.#want(null);
    if (circle !== null) this.gone.set({ circle, deleted });
  }

  /** Show a circle's state, unless a newer one has already answered a command. */
  #show(event: Circle): void {
    if (event.circle !== this.#wanted) return;
    const known = this.circle.get();
    if (known === null || event.version >= known.version) this.circle.set(event);
  }

  #list(circles: readonly CircleSummary[], answered: Command | null): void {
    this.circles.set(circles);
    const left = answered?.type === "LeaveCircle" || answered?.type === "DeleteCircle";
    if (left && answered.circle === this.#wanted) this.#want(null);
  }
}

/**
 * The circle commands, from `client.circles()`. Their promises reject with a `Refusal`, such as
 * `unknown_circle` if the player is not a member.
 */
export class CircleCommands {
  /** The watched circle, kept up to date. */
  readonly circle: Readable<Circle | null>;
  /**
   * Set when the player is no longer a member of the watched circle, or it was deleted; null once
   * another is watched.
   */
  readonly gone: Readable<CircleGone | null>;
  /** The player's circles as last listed; null before that. */
  readonly circles: Readable<readonly CircleSummary[] | null>;
  readonly #link: Link;
  readonly #keeper: CircleKeeper;
  /** The last table request. */
  #asked: CommandFields["GetCircleTable"] | null = null;

  constructor(link: Link, keeper: CircleKeeper) {
    this.#link = link;
    this.#keeper = keeper;
    this.circle = keeper.circle;
    this.gone = keeper.gone;
    this.circles = keeper.circles;
  }

  /** List the player's circles. */
  async list(): Promise<readonly CircleSummary[]> {
    return (await this.#ask("ListCircles", {})).circles;
  }

  /** Create a circle owned by the player. */
  create(name: string): Promise<Circle> {
    return this.#ask("CreateCircle", { name, key: newKey() });
  }

  /** Return the circle that a link invites to, without joining it. */
  invitation(link: string): Promise<Invitation> {
    return this.#ask("ShowInvitation", { link });
  }

  /** Join a circle by its link. Members may call this again. */
  join(link: string): Promise<Circle> {
    return this.#ask("JoinCircle", { link });
  }

  /** Watch a circle, replacing any other; `circle` holds its state. */
  watch(circle: string): Promise<void> {
    return this.#keeper.watch(circle);
  }

  /** Stop watching the circle. */
  unwatch(): Promise<void> {
    return this.#keeper.unwatch();
  }

  /**
   * Request a table of a circle. It is not updated afterwards. Rejects with `too_fast` if a newer
   * table request replaced this one while it waited.
   *
   * @param span the kind of period.
   * @param period the number of the day, week or season; null for the current one.
   */
  table(
    circle: string,
    span: GetCircleTable["span"],
    period: number | null = null,
  ): Promise<CircleTable> {
    const asked = { circle, span, period };
    this.#asked = asked;
    const wanted = () => this.#asked === asked;
    return this.#link.askWithRetry("GetCircleTable", asked, wanted, true);
  }

  /** Return how often each of two members, given by id, did better on the same deal. */
  headToHead(circle: string, one: string, other: string): Promise<HeadToHead> {
    return this.#ask("GetHeadToHead", { circle, one, other });
  }

  /** Return the events of the last seven days. */
  feed(circle: string): Promise<CircleFeed> {
    return this.#ask("GetCircleFeed", { circle });
  }

  /** Send an emote for a feed item, by its number (see `Emoted`); null removes it. */
  emote(circle: string, item: string, emote: number | null): Promise<CircleFeed> {
    return this.#ask("EmoteItem", { circle, item, emote });
  }

  /** Set whether notifications about a circle are muted. */
  async mute(circle: string, muted: boolean): Promise<void> {
    await this.#ask("MuteCircle", { circle, muted });
  }

  async leave(circle: string): Promise<void> {
    await this.#link.askWithRetry("LeaveCircle", { circle });
  }

  /**
   * Remove a member and renew the link. This method and the following ones are for the owner only.
   */
  async remove(circle: string, player: string): Promise<void> {
    await this.#ask("RemoveFromCircle", { circle, player });
  }

  /** Make another member the owner. */
  async handOver(circle: string, player: string): Promise<void> {
    await this.#link.askWithRetry("HandOverCircle", { circle, player });
  }

  async rename(circle: string, name: string): Promise<void> {
    await this.#ask("RenameCircle", { circle, name });
  }

  /** Renew the invitation link, which revokes the previous one. */
  async renewLink(circle: string): Promise<void> {
    await this.#ask("RenewCircleLink", { circle });
  }

  /** Set a season's length in weeks; null ends the seasons. */
  async setSeason(circle: string, weeks: number | null): Promise<void> {
    await this.#ask("SetCircleSeason", { circle, weeks });
  }

  /** Create a challenge every day or week, whose `limit` is in seconds; null stops this. */
  async setLeague(circle: string, league: LeagueTerms | null): Promise<void> {
    await this.#ask("SetCircleLeague", { circle, league });
  }

  /** Post the day's table and new challenges to an address; null stops this. */
  async setWebhook(
    circle: string,
    url: string | null,
    form: SetCircleWebhook["form"] = "json",
  ): Promise<void> {
    await this.#ask("SetCircleWebhook", { circle, url, form });
  }

  /** Delete a circle and everything stored about it. */
  async delete(circle: string): Promise<void> {
    await this.#link.askWithRetry("DeleteCircle", { circle });
  }

  /** Send a command with retries, in the next session too and while it is temporarily refused. */
  #ask<T extends CommandType>(type: T, fields: CommandFields[T]): Promise<AnswerTo<T>> {
    return this.#link.askWithRetry(type, fields, undefined, true);
  }
}
