/** The margin between two runs on one deal. Pure functions. */

import type { Result } from "@samedeal/client";

/** The parts of a result that decide the order. */
export type Outcome = Pick<Result, "home" | "time">;

/** Which run is ahead, and by how many cards; with equal cards, by how many milliseconds. */
export type Comparison =
  | { readonly order: "ahead" | "behind"; readonly cards: number }
  | { readonly order: "ahead" | "behind"; readonly milliseconds: number }
  | { readonly order: "level" };

/** Compare runs on a deal as ranks do, by cards home and the last one's time; not by moves. */
export function compare(own: Outcome, other: Outcome): Comparison {
  if (own.home !== other.home) {
    const order = own.home > other.home ? "ahead" : "behind";
    return { order, cards: Math.abs(own.home - other.home) };
  }
  if (own.time === other.time) return { order: "level" };
  const order = own.time < other.time ? "ahead" : "behind";
  return { order, milliseconds: Math.abs(own.time - other.time) };
}
