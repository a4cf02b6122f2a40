/** The order of a race: by cards at home, and among equals by who had them first. */

import type { Standing } from "./overtaking.ts";

/** A runner's place: 1 for the first; null while all runners have the same. */
export interface Placed {
  readonly id: string;
  readonly place: number | null;
}

/**
 * Remembers when each runner got as far as it is, as seen here; the results go by the server's
 * times. Those who were equal from the start share a place.
 */
export class RaceOrder {
  readonly #reached = new Map<string, { readonly cards: number; readonly nth: number }>();
  #count = 0;

  /** Update what the runners have, and return them in order, the first one first. */
  update(runners: readonly Standing[]): Placed[] {
    for (const { id, cards } of runners) {
      const before = this.#reached.get(id);
      if (before?.cards === cards) continue;
      this.#reached.set(id, { cards, nth: before === undefined ? 0 : ++this.#count });
    }
    const ahead = (one: Standing, other: Standing): number =>
      other.cards - one.cards || this.#nth(one.id) - this.#nth(other.id);
    const order = runners.toSorted(ahead);
    const apart = order.some((runner) => ahead(order[0] ?? runner, runner) !== 0);
    return order.map((runner) => ({
      id: runner.id,
      place: apart ? 1 + order.findIndex((other) => ahead(other, runner) === 0) : null,
    }));
  }

  #nth(id: string): number {
    return this.#reached.get(id)?.nth ?? 0;
  }
}

/** The fewest pixels between two chips, which are a little wider. */
const APART = 20;

/**
 * Where chips stand that would cover each other: the better one further on, whoever is ahead.
 *
 * @param places where they would stand, in pixels from the start, the first runner's first.
 * @param end where the first one stands at most.
 */
export function standApart(places: readonly number[], end: number): number[] {
  const apart = [...places];
  for (let nth = apart.length - 2; nth >= 0; nth--) {
    apart[nth] = Math.max(apart[nth] ?? 0, (apart[nth + 1] ?? 0) + APART);
  }
  return apart.map((place, nth) => Math.min(place, end - nth * APART));
}
