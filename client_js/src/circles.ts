/** Circles: those of the player, and the one that is looked at. Loaded when first needed. */

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

/** Keeps the circle that is looked at, through reconnects, and the list of the player's circles. */
export class CircleKeeper implements Keeper {
  readonly circle = new Store<Circle | null>(null);
  readonly gone = new Store<CircleGone | null>(null);
  readonly circles = new Store<readonly CircleSummary[] | null>(null);
  readonly #link: Link;
  /** The id of the circle that is looked at. */
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
    if (this.circle.get()?.circle !== circle) this.circle.set(null);
    this.#wanted = circle;
  }

  #lose(deleted: boolean): void {
    const circle = this.#wanted;
    this.#want(null);
    if (circle !== null) this.gone.set({ circle, deleted });
  }

  /** An older state may come after a newer one that has answered a command. */
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
 * What can be done with circles; `client.circles()` returns it. Its promises reject with a
 * `Refusal`: as `unknown_circle` whenever the player is no member.
 */
export class CircleCommands {
  /** The circle that is looked at, kept up to date. */
  readonly circle: Readable<Circle | null>;
  /** That the circle that was looked at has lost the player, or is no more; null once another is. */
  readonly gone: Readable<CircleGone | null>;
  /** The player's circles, as they were last listed; null before. */
  readonly circles: Readable<readonly CircleSummary[] | null>;
  readonly #link: Link;
  readonly #keeper: CircleKeeper;
  /** The table that was asked for last. */
  #asked: CommandFields["GetCircleTable"] | null = null;

  constructor(link: Link, keeper: CircleKeeper) {
    this.#link = link;
    this.#keeper = keeper;
    this.circle = keeper.circle;
    this.gone = keeper.gone;
    this.circles = keeper.circles;
  }

  /** Ask for the circles that the player is a member of. */
  async list(): Promise<readonly CircleSummary[]> {
    return (await this.#ask("ListCircles", {})).circles;
  }

  /** Found a circle, of which the player is the owner. */
  create(name: string): Promise<Circle> {
    return this.#ask("CreateCircle", { name, key: newKey() });
  }

  /** Ask what circle a link leads to, before joining it. */
  invitation(link: string): Promise<Invitation> {
    return this.#ask("ShowInvitation", { link });
  }

  /** Join a circle by its link; a member stays one. */
  join(link: string): Promise<Circle> {
    return this.#ask("JoinCircle", { link });
  }

  /** Look at a circle, instead of any other; `circle` shows it. */
  watch(circle: string): Promise<void> {
    return this.#keeper.watch(circle);
  }

  /** Look at the circle no more. */
  unwatch(): Promise<void> {
    return this.#keeper.unwatch();
  }

  /**
   * Ask for a table of a circle. It is not sent again when it changes. Rejects as `too_fast` if it
   * had to wait and another table was asked for meanwhile.
   *
   * @param span the time that it is about.
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

  /** Ask how often each of two members, by their ids, was better on the same deal. */
  headToHead(circle: string, one: string, other: string): Promise<HeadToHead> {
    return this.#ask("GetHeadToHead", { circle, one, other });
  }

  /** Ask what has happened in the last seven days. */
  feed(circle: string): Promise<CircleFeed> {
    return this.#ask("GetCircleFeed", { circle });
  }

  /** Send an emote for an item of the feed, by its number (see `Emoted`); null takes it back. */
  emote(circle: string, item: string, emote: number | null): Promise<CircleFeed> {
    return this.#ask("EmoteItem", { circle, item, emote });
  }

  /** Say whether the player wants to be notified of what happens in a circle. */
  async mute(circle: string, muted: boolean): Promise<void> {
    await this.#ask("MuteCircle", { circle, muted });
  }

  /** Leave a circle. */
  async leave(circle: string): Promise<void> {
    await this.#link.askWithRetry("LeaveCircle", { circle });
  }

  /** Take a member out, and renew the link; only the owner may, as all that follows. */
  async remove(circle: string, player: string): Promise<void> {
    await this.#ask("RemoveFromCircle", { circle, player });
  }

  /** Make another member the owner. */
  async handOver(circle: string, player: string): Promise<void> {
    await this.#link.askWithRetry("HandOverCircle", { circle, player });
  }

  /** Give a circle another name. */
  async rename(circle: string, name: string): Promise<void> {
    await this.#ask("RenameCircle", { circle, name });
  }

  /** Renew the link by which a circle is joined: the one before it is void. */
  async renewLink(circle: string): Promise<void> {
    await this.#ask("RenewCircleLink", { circle });
  }

  /** Set how many weeks a season has; null for no more seasons. */
  async setSeason(circle: string, weeks: number | null): Promise<void> {
    await this.#ask("SetCircleSeason", { circle, weeks });
  }

  /** Have a challenge made each day or week, whose `limit` is in seconds; null for no more. */
  async setLeague(circle: string, league: LeagueTerms | null): Promise<void> {
    await this.#ask("SetCircleLeague", { circle, league });
  }

  /** Have the day's table and new challenges posted to an address; null for no more posts. */
  async setWebhook(
    circle: string,
    url: string | null,
    form: SetCircleWebhook["form"] = "json",
  ): Promise<void> {
    await this.#ask("SetCircleWebhook", { circle, url, form });
  }

  /** Delete a circle with all that is stored of it. */
  async delete(circle: string): Promise<void> {
    await this.#link.askWithRetry("DeleteCircle", { circle });
  }

  /** Send a command that may be sent again: in the next session too, and while it is refused. */
  #ask<T extends CommandType>(type: T, fields: CommandFields[T]): Promise<AnswerTo<T>> {
    return this.#link.askWithRetry(type, fields, undefined, true);
  }
}
