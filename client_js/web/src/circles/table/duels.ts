/** How often each of two members did better on the same deals. Pure functions. */

import { type Duel, games } from "@samedeal/client";

/** The duels of a game, over dailies, races and challenges. */
export type GameDuels = Omit<Duel, "form">;

/** Group duels by game, in the order of the games, with unknown games last. */
export function byGame(duels: readonly Duel[]): GameDuels[] {
  const found = new Map<string, GameDuels>();
  for (const { game, won, lost, drawn } of duels) {
    const before = found.get(game) ?? { game, won: 0, lost: 0, drawn: 0 };
    found.set(game, {
      game,
      won: before.won + won,
      lost: before.lost + lost,
      drawn: before.drawn + drawn,
    });
  }
  const place = (game: string) => {
    const at = games.findIndex(({ id }) => id === game);
    return at < 0 ? games.length : at;
  };
  return [...found.values()].sort((one, other) => place(one.game) - place(other.game));
}
