/** How long a race or a try at each game may take, so that most who know it come to its end. */

import { games } from "@samedeal/client";

/** Minutes. */
const LONGEST = 60;
const OFFERED = [3, 5, 10, 15, 20, 30, 45, LONGEST];

/** The time limit that a game is offered with, in seconds. */
export function usualLimit(game: string): number {
  const { minutes } = games.find(({ id }) => id === game)?.listing ?? { minutes: 10 };
  // Whoever is slow comes to the end as well.
  return 60 * (OFFERED.find((offered) => offered >= minutes * 2) ?? LONGEST);
}

/** For how long a challenge is open, if nothing else is chosen: three days, in seconds. */
export const USUAL_SPAN = 3 * 86_400;

/** The limits that a game is offered with, in minutes: from half its usual one to three times. */
export function limitsOf(game: string): number[] {
  const usual = usualLimit(game) / 60;
  return OFFERED.filter((minutes) => minutes >= usual / 2 && minutes <= usual * 3);
}
