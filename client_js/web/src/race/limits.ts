/** Time limits of races and attempts, which most experienced players do not reach. */

import { games } from "@samedeal/client";

/** Minutes. */
const LONGEST = 60;
const OFFERED = [3, 5, 10, 15, 20, 30, 45, LONGEST];

/** Return a game's default time limit, in seconds. */
export function usualLimit(game: string): number {
  const { minutes } = games.find(({ id }) => id === game)?.listing ?? { minutes: 10 };
  // Long enough for slow players too.
  return 60 * (OFFERED.find((offered) => offered >= minutes * 2) ?? LONGEST);
}

/** The default duration of a challenge: three days, in seconds. */
export const USUAL_SPAN = 3 * 86_400;

/** Return a game's offered limits, in minutes: from half the usual one to three times. */
export function limitsOf(game: string): number[] {
  const usual = usualLimit(game) / 60;
  return OFFERED.filter((minutes) => minutes >= usual / 2 && minutes <= usual * 3);
}
