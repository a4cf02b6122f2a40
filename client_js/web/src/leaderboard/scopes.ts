/** What a game's results are compared by. Pure. */

import { ALL_GAMES, SCOPES, type Scope } from "../app/boards.ts";
import { isForPar } from "../app/targets.ts";

/** The leaderboards of a game, or of all games together: none of wins where nobody can win. */
export function scopesOf(game: string): readonly Scope[] {
  if (game === ALL_GAMES) return SCOPES.filter((scope) => scope !== "best" && scope !== "rating");
  return SCOPES.filter((scope) => scope !== "wins" || !isForPar(game));
}
