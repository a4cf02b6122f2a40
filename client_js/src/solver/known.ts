/** Boards as players know them. */

import { type Board, type Layout, viewOf } from "../rules/board.ts";
import { seenText } from "../rules/notation.ts";

/**
 * The board as a player knows it who forgets nothing: all that lies face up, and a stock that is
 * the waste turned over. Other cards that lie face down stay unseen.
 */
export function knownOf(board: Board): Layout {
  const { ruleset, piles, redeals } = board;
  const seen = viewOf(board);
  if (redeals === 0) return seen;
  const recalled = seen.piles.map((pile, at) => (at === ruleset.stock ? (piles[at] ?? []) : pile));
  return { ...seen, piles: recalled };
}

/** The text that two layouts share if they look the same. */
export function keyOf(layout: Layout): string {
  return [layout.redeals, ...viewOf(layout).piles.map(seenText)].join(" ");
}
