/** A player's knowledge of a board. */

import { type Board, type Layout, viewOf } from "../rules/board.ts";
import { seenText } from "../rules/notation.ts";

/**
 * Return a board as known to a player with perfect memory: all face-up cards, and a stock that is
 * the turned-over waste. Other face-down cards are unseen.
 */
export function knownOf(board: Board): Layout {
  const { ruleset, piles, redeals } = board;
  const seen = viewOf(board);
  if (redeals === 0) return seen;
  const recalled = seen.piles.map((pile, at) => (at === ruleset.stock ? (piles[at] ?? []) : pile));
  return { ...seen, piles: recalled };
}

/** Return a text that two layouts share if they look the same. */
export function keyOf(layout: Layout): string {
  return [layout.redeals, ...viewOf(layout).piles.map(seenText)].join(" ");
}
