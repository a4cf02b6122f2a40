/** Detects when the player passes others in a race, or is passed. */

/** A runner's progress. */
export interface Standing {
  readonly id: string;
  readonly cards: number;
  /** What races of the game count besides; 0 if left out. */
  readonly headway?: number;
}

/** A change of places with another runner; `ahead`: whether the player is now ahead. */
export interface Pass {
  readonly id: string;
  readonly ahead: boolean;
}

/** Remembers the order before a tie, so that the tie itself is not reported. */
export class Overtaking {
  readonly #ahead = new Map<string, boolean>();

  /** Compare the cards home; return the last runner who changed places with the player. */
  update(own: number, others: readonly Standing[]): Pass | null {
    let pass: Pass | null = null;
    for (const { id, cards } of others) {
      // A tie keeps the previous order.
      if (cards === own) continue;
      const ahead = own > cards;
      const before = this.#ahead.get(id);
      this.#ahead.set(id, ahead);
      if (before !== undefined && before !== ahead) pass = { id, ahead };
    }
    return pass;
  }
}
