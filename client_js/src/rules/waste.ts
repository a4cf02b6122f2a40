/** The order in which the cards of stock and waste come up. */

import { type Layout, pileAt } from "./board.ts";

/**
 * Whether a card played from a pile changes which cards come up later: it is the waste's, several
 * cards are dealt at a time, and more follow before the waste is turned over.
 */
export function changesDeals(layout: Layout, source: number): boolean {
  const { stock, waste, rules, redeals } = layout.ruleset;
  if (source !== waste || rules.stock.turns === 1 || layout.redeals >= redeals) return false;
  // After the last card, no other one can take its place.
  return pileAt(layout, stock).length > 0;
}
