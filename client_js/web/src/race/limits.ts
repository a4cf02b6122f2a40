/** How long a race or a try at each game may take, so that most who know it come to its end. */

/** Minutes by game. */
const USUAL: Readonly<Record<string, number>> = {
  robert: 5,
  "lady-betty": 10,
  "rouge-et-noir": 15,
  deuces: 20,
  roosevelt: 20,
};

/** The time limit that a game is offered with, in seconds. */
export function usualLimit(game: string): number {
  return 60 * (USUAL[game] ?? 15);
}

/** For how long a challenge is open, if nothing else is chosen: three days, in seconds. */
export const USUAL_SPAN = 3 * 86_400;

/** Minutes. */
const OFFERED = [3, 5, 10, 15, 20, 30, 45, 60];

/** The limits that a game is offered with, in minutes: from half its usual one to three times. */
export function limitsOf(game: string): number[] {
  const usual = usualLimit(game) / 60;
  return OFFERED.filter((minutes) => minutes >= usual / 2 && minutes <= usual * 3);
}
