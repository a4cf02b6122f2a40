/** The leaderboards available for a game. Pure functions. */

import { ALL_GAMES, SCOPES, type Scope } from "../app/boards.ts";
import { isForPar } from "../app/targets.ts";

const OF_DAILIES: readonly Scope[] = ["day", "week", "wins"];

/**
 * Return the leaderboards of a game, or of all games together. Games that cannot be won have none
 * of wins, and games that are not dailies none of dailies, except a requested one: there may have
 * been some earlier.
 */
export function scopesOf(game: string, daily = true, asked?: Scope): readonly Scope[] {
  if (game === ALL_GAMES) return SCOPES.filter((scope) => scope !== "best" && scope !== "rating");
  return SCOPES.filter(
    (scope) =>
      (scope !== "wins" || !isForPar(game)) &&
      (daily || scope === asked || !OF_DAILIES.includes(scope)),
  );
}
