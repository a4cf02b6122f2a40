/** Time limits of races and attempts, which most experienced players do not reach. */

import { games } from "@samedeal/client";

/** Minutes. */
const OFFERED = [3, 5, 10, 15, 20, 30, 45, 60];

/** Return a game's default time limit, in seconds; quick matches always have it. */
export function usualLimit(game: string): number {
  return 60 * (games.find(({ id }) => id === game)?.listing.limit ?? 20);
}

/** The default duration of a challenge: three days, in seconds. */
export const USUAL_SPAN = 3 * 86_400;

/** Return a game's offered limits, in minutes: from half the usual one to three times. */
export function limitsOf(game: string): number[] {
  const usual = usualLimit(game) / 60;
  return OFFERED.filter((minutes) => minutes >= usual / 2 && minutes <= usual * 3);
}
