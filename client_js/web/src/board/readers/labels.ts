/** The labels of piles and cards for screen readers. */

import { type View, pileAt } from "../../../../src/rules/board.ts";
import { isDown } from "../../../../src/rules/cards.ts";
import { isCovered } from "../../../../src/rules/moves.ts";
import { ENDLESS, type Ruleset } from "../../../../src/rules/ruleset.ts";
import { capitalised, cardWords, pileWords, text } from "../../text/index.ts";

/** Return the screen reader label of a pile, read before its cards. */
export function pileLabel(view: View, pile: number): string {
  return text.piles.withCount(capitalised(pileWords(view, pile)), pileAt(view, pile).length);
}

/** Return the piles of each row of peaks, from the top; none of columns. */
export function rowsOf({ peaks, tableau }: Ruleset): readonly (readonly number[])[] {
  let start = 0;
  return (peaks ?? []).map((size) => tableau.slice(start, (start += size)));
}

/** Return the label of a card, with its pile and the number of cards on it. */
export function cardLabel(view: View, at: { card: number; pile: number; index: number }): string {
  const { ruleset } = view;
  if (at.pile === ruleset.stock && isDown(at.card)) return dealWords(view);
  const words = text.spoken.at(cardWords(at.card), pileWords(view, at.pile));
  if (isCovered(view, at.pile)) return text.spoken.isCovered(words);
  const above = pileAt(view, at.pile).length - 1 - at.index;
  return above > 0 && ruleset.tableau.includes(at.pile) ? text.spoken.covered(words, above) : words;
}

/** Return the effect of the stock, which may turn several cards to the waste. */
function dealWords(view: View): string {
  const { stock, rules } = view.ruleset;
  const cards = Math.min(rules.stock.turns, pileAt(view, stock).length);
  return cards > 1 ? text.spoken.dealMany(cards) : text.play.deal;
}

export function placeLabel(view: View, pile: number): string {
  const { stock, waste, redeals } = view.ruleset;
  const left = redeals - view.redeals;
  if (pile === stock && waste !== null && left > 0) {
    return redeals < ENDLESS ? text.piles.emptyStock(left) : text.piles.emptyStockEndless;
  }
  return text.piles.empty(pileWords(view, pile));
}
