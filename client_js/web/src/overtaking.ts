/** Who is ahead of whom in a race, and when that turns round. */

/** How far a runner has got. */
export interface Standing {
  readonly id: string;
  readonly cards: number;
}

/** Somebody was passed: by oneself, or oneself by them. */
export interface Pass {
  readonly id: string;
  readonly ahead: boolean;
}

/** Remembers who was ahead, so that a tie in between is no news. */
export class Overtaking {
  readonly #ahead = new Map<string, boolean>();

  /** Take how far all have got; return the last of those that have changed places with oneself. */
  update(own: number, others: readonly Standing[]): Pass | null {
    let pass: Pass | null = null;
    for (const { id, cards } of others) {
      if (cards === own) continue;
      const ahead = own > cards;
      const before = this.#ahead.get(id);
      this.#ahead.set(id, ahead);
      if (before !== undefined && before !== ahead) pass = { id, ahead };
    }
    return pass;
  }
}
