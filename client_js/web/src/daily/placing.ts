/** Which results count, and how one stands against the player's own before. Pure. */

import type { ApiTypes, Dailies, Result } from "@samedeal/client";

/** The deals of a day, today or over, with the player's results. */
export type DayDeals = Omit<Dailies, "now">;

/** The same, with a result that is known better than it was listed. */
export function withResult(deals: DayDeals, game: string, mine: Result): DayDeals {
  return {
    ...deals,
    games: deals.games.map((one) => (one.game === game ? { ...one, mine } : one)),
  };
}

/** Whether a daily counts as played: it is over, and brought a card home. */
export function counts(result: Result | null): boolean {
  // The cards that the deal itself puts there have no time.
  return result !== null && result.end !== null && result.time > 0;
}

/** Whether the day's games make the crown: all of them count as played. */
export function isCrowned(deals: Pick<DayDeals, "games">): boolean {
  return deals.games.every(({ mine }) => counts(mine));
}

/** The average number of cards home in a game's dailies before a day; null if there are none. */
export function averageBefore(game: ApiTypes.PlayedGame | undefined, day: number): number | null {
  const before = game?.dailies.days.filter((played) => played.day < day) ?? [];
  if (before.length === 0) return null;
  return Math.round(before.reduce((sum, { home }) => sum + home, 0) / before.length);
}
