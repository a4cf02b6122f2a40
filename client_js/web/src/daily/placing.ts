/**
 * Which results count, and how a result compares with the player's earlier ones. Pure functions.
 */

import type { ApiTypes, Dailies, Result } from "@samedeal/client";

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

/** Whether the day's games earn the crown: all of them count as played. */
export function isCrowned(deals: Pick<DayDeals, "games">): boolean {
  return deals.games.every(({ mine }) => counts(mine));
}

/** Return the average number of cards home in a game's dailies before a day, or null. */
export function averageBefore(game: ApiTypes.PlayedGame | undefined, day: number): number | null {
  const before = game?.dailies.days.filter((played) => played.day < day) ?? [];
  if (before.length === 0) return null;
  return Math.round(before.reduce((sum, { home }) => sum + home, 0) / before.length);
}
