/** What a game's results are compared by. Pure. */

import { ALL_GAMES, SCOPES, type Scope } from "../app/boards.ts";
import { isForPar } from "../app/targets.ts";

const OF_DAILIES: readonly Scope[] = ["day", "week", "wins"];

/**
 * The leaderboards of a game, or of all games together: none of wins where nobody can win, and none
 * of dailies where there are none, but for the one that is asked for: there may have been some.
 */
export function scopesOf(game: string, daily = true, asked?: Scope): readonly Scope[] {
  if (game === ALL_GAMES) return SCOPES.filter((scope) => scope !== "best" && scope !== "rating");
  return SCOPES.filter(
    (scope) =>
      (scope !== "wins" || !isForPar(game)) &&
      (daily || scope === asked || !OF_DAILIES.includes(scope)),
  );
}
