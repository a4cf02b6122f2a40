/**
 * Which results count, and how a result compares with the player's earlier ones. Pure functions.
 */

import type { ApiTypes, Dailies, Result } from "@samedeal/client";
import { setsOf } from "./sets.ts";

/** The deals of a day, today or past, with the player's results. */
export type DayDeals = Omit<Dailies, "now">;

/** Return the deals with a result that is newer than the listed one. */
export function withResult(deals: DayDeals, game: string, mine: Result): DayDeals {
  return {
    ...deals,
    games: deals.games.map((one) => (one.game === game ? { ...one, mine } : one)),
  };
}

/** Whether a daily counts as played: it is over, and brought a card home. */
export function counts(result: Result | null): boolean {
  // Cards placed by the deal itself have no time.
  return result !== null && result.end !== null && result.time > 0;
}

/** Return a day's deals, limited to those that count for the same crown as a game. */
export function sharingCrown(deals: DayDeals, game: string): DayDeals {
  return byCrown(deals).find(({ games }) => games.some((one) => one.game === game)) ?? deals;
}

/** Return the deals to go on with after a game: for its crown, or the next; null if all are done. */
export function goingOn(deals: DayDeals, game: string): DayDeals | null {
  return [sharingCrown(deals, game), ...byCrown(deals)].find((each) => !isOver(each)) ?? null;
}

/** Whether all of these deals are done. */
export function isOver({ games }: Pick<DayDeals, "games">): boolean {
  return games.every(({ mine }) => mine?.end != null);
}

function byCrown(deals: DayDeals): readonly DayDeals[] {
  return setsOf(deals).map((set) => ({
    ...deals,
    games: deals.games.filter(({ game }) => set.games.includes(game)),
    crowns: [set],
  }));
}

/** Whether the games of a crown earn it: all of them count as played. */
export function isCrowned(deals: Pick<DayDeals, "games">): boolean {
  return deals.games.every(({ mine }) => counts(mine));
}

/** Whether the games of a crown can still earn it: none is over that does not count. */
export function canCrown(deals: Pick<DayDeals, "games">): boolean {
  return deals.games.every(({ mine }) => mine?.end == null || counts(mine));
}

/** Return the average number of cards home in a game's dailies before a day, or null. */
export function averageBefore(game: ApiTypes.PlayedGame | undefined, day: number): number | null {
  const before = game?.dailies.days.filter((played) => played.day < day) ?? [];
  if (before.length === 0) return null;
  return Math.round(before.reduce((sum, { home }) => sum + home, 0) / before.length);
}
