/** By how much one run on a deal is better than another one. Pure. */

import type { Result } from "@samedeal/client";
import { clockText, text } from "../../text/index.ts";

/** The results that decide who is first. */
export type Outcome = Pick<Result, "home" | "time">;

/** The winner, and by how many cards; or by how many milliseconds, with as many cards. */
export type Comparison =
  | { readonly order: "ahead" | "behind"; readonly cards: number }
  | { readonly order: "ahead" | "behind"; readonly milliseconds: number }
  | { readonly order: "level" };

/**
 * Compare a run with another one on the same deal, as ranks do: by the cards home, then by the time
 * of the last of them. Unlike ranks, it does not go on to the moves.
 */
export function compare(own: Outcome, other: Outcome): Comparison {
  if (own.home !== other.home) {
    const order = own.home > other.home ? "ahead" : "behind";
    return { order, cards: Math.abs(own.home - other.home) };
  }
  if (own.time === other.time) return { order: "level" };
  const order = own.time < other.time ? "ahead" : "behind";
  return { order, milliseconds: Math.abs(own.time - other.time) };
}

/** A difference in words, as in "3 cards" or "0.4 s". */
export function marginWords(found: Exclude<Comparison, { readonly order: "level" }>): string {
  return "cards" in found ? text.ghost.cards(found.cards) : spanWords(found.milliseconds);
}

/** A short span, as in "0.4 s" or "1:05 min"; a difference of less than a tenth is written as one. */
function spanWords(milliseconds: number): string {
  const tenths = Math.max(1, Math.round(milliseconds / 100));
  if (tenths >= 600) return text.ghost.minutes(clockText(milliseconds));
  return text.ghost.seconds((tenths / 10).toLocaleString(text.locale));
}
