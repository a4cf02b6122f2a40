/** Detects players who have joined a room since the last update. */

import type { Player } from "@samedeal/client";

export class Arrivals {
  #known: ReadonlySet<string> | null = null;

  /** Return the first player who was not in the previous update; undefined in the first update. */
  update(players: readonly Player[]): Player | undefined {
    const known = this.#known;
    this.#known = new Set(players.map(({ id }) => id));
    return known === null ? undefined : players.find(({ id }) => !known.has(id));
  }
}
