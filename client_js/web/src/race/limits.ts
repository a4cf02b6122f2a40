/** How long a race of each game may take, so that most who know the game come to its end. */

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
