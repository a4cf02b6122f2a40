/** Who has come into a room since it was last looked at. */

import type { Player } from "@samedeal/client";

export class Arrivals {
  #known: ReadonlySet<string> | null = null;

  /** The first who was not there before, of those who are there now; nobody the first time. */
  update(players: readonly Player[]): Player | undefined {
    const known = this.#known;
    this.#known = new Set(players.map(({ id }) => id));
    return known === null ? undefined : players.find(({ id }) => !known.has(id));
  }
}
