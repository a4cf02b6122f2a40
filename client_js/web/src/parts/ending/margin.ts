/** The margin between two runs on one deal. Pure functions. */

import type { Result } from "@samedeal/client";
import { clockText, text } from "../../text/index.ts";

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

/** Return a difference in words, such as "3 cards" or "0.4 s". */
export function marginWords(found: Exclude<Comparison, { readonly order: "level" }>): string {
  return "cards" in found ? text.ghost.cards(found.cards) : spanWords(found.milliseconds);
}

/** Return a short duration, such as "0.4 s" or "1:05 min", of at least a tenth of a second. */
function spanWords(milliseconds: number): string {
  const tenths = Math.max(1, Math.round(milliseconds / 100));
  if (tenths >= 600) return text.ghost.minutes(clockText(milliseconds));
  return text.ghost.seconds((tenths / 10).toLocaleString(text.locale));
}
