/**
 * The order of a race: by cards home, among equals by who reached them first, and before that by
 * headway.
 */

import type { Standing } from "./overtaking.ts";

/** A runner's place: 1 for the first; null while all runners are tied. */
export type Placed<Runner extends Standing> = Runner & { readonly place: number | null };

/**
 * Remembers when each runner reached its number of cards, as observed here; the results use the
 * server's times. Runners tied from the start share a place.
 */
export class RaceOrder {
  readonly #reached = new Map<string, { readonly cards: number; readonly nth: number }>();
  #count = 0;

  /** Update the runners' cards, and return the runners in order, the first one first. */
  update<Runner extends Standing>(runners: readonly Runner[]): Placed<Runner>[] {
    for (const { id, cards } of runners) {
      const before = this.#reached.get(id);
      if (before?.cards === cards) continue;
      // Nothing shows who was earlier among runners first seen with their present cards.
      this.#reached.set(id, { cards, nth: before === undefined ? 0 : ++this.#count });
    }
    const ahead = (one: Standing, other: Standing): number =>
      other.cards - one.cards ||
      this.#nth(one.id) - this.#nth(other.id) ||
      (other.headway ?? 0) - (one.headway ?? 0);
    const order = runners.toSorted(ahead);
    // In sorted order, all are equal if the first and the last are.
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
