/** The order of a race: by cards at home, and among equals by who had them first. */

import type { Standing } from "./overtaking.ts";

/** A runner's place: 1 for the first; null while all runners have the same. */
export type Placed<Runner extends Standing> = Runner & { readonly place: number | null };

/**
 * Remembers when each runner got as far as it is, as seen here; the results go by the server's
 * times. Those who were equal from the start share a place.
 */
export class RaceOrder {
  readonly #reached = new Map<string, { readonly cards: number; readonly nth: number }>();
  #count = 0;

  /** Update what the runners have, and return them in order, the first one first. */
  update<Runner extends Standing>(runners: readonly Runner[]): Placed<Runner>[] {
    for (const { id, cards } of runners) {
      const before = this.#reached.get(id);
      if (before?.cards === cards) continue;
      this.#reached.set(id, { cards, nth: before === undefined ? 0 : ++this.#count });
    }
    const ahead = (one: Standing, other: Standing): number =>
      other.cards - one.cards || this.#nth(one.id) - this.#nth(other.id);
    const order = runners.toSorted(ahead);
    // In order, all are equal if the first one and the last one are.
    const [first, last] = [order[0], order.at(-1)];
    const apart = first !== undefined && last !== undefined && ahead(first, last) !== 0;
    let place = 0;
    return order.map((runner, nth) => {
      const before = order[nth - 1];
      if (before === undefined || ahead(before, runner) !== 0) place = nth + 1;
      return { ...runner, place: apart ? place : null };
    });
  }

  #nth(id: string): number {
    return this.#reached.get(id)?.nth ?? 0;
  }
}
