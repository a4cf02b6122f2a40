/** Which games are dailies. Pure. */

import { type Dailies, games } from "@samedeal/client";

/** Whether a game is a daily of today; while these are not known, whether it mostly is one. */
export function isDaily(dailies: Pick<Dailies, "games"> | null, id: string): boolean {
  if (dailies !== null) return dailies.games.some(({ game }) => game === id);
  return games.some((game) => game.id === id && game.listing.daily);
}
