/** Automatic moves to foundations. */

import { isIn } from "./cardSets.ts";
import { HOME, NONE, encoded } from "./encoding.ts";
import { type Position, STRIDE } from "./position.ts";
import { PACK_SIZE } from "../../rules/cards.ts";
import { TOPS } from "./tables.ts";

/** Play the moves to foundations that lose no win. */
export function sendHome(position: Position): void {
  if (!position.regular || position.bound !== 0) return;
  for (let move = safeHome(position); move !== NONE; move = safeHome(position)) {
    position.play(move);
  }
}

/** Return a move to a foundation that loses no win, or `NONE`. */
function safeHome(position: Position): number {
  const { tables, size, nextLow, nextHigh } = position;
  const { columns, cells, piles, givesBack } = tables;
  for (let pile = 0; pile < piles; pile++) {
    if (size[pile] === 0) continue;
    const card = position.topOf(pile);
    if (!isIn(nextLow, nextHigh, card)) continue;
    if (!isSafe(position, card) && !(givesBack && canReturn(position, pile, card))) continue;
    let allowed = tables.reserve.home;
    if (pile < columns) allowed = tables.column.home && !tables.fills;
    else if (pile < columns + cells) allowed = tables.cell.home;
    if (allowed) return encoded(pile, HOME + homeOf(position, card), 1);
  }
  return NONE;
}

/** Return the first foundation that takes a card; there is one. */
function homeOf({ tables, tops }: Position, card: number): number {
  const { group, homes, foundations } = tables;
  for (let f = 0; f < foundations; f++) {
    const row = group[f]! * TOPS + tops[f]! + 1;
    if (isIn(homes.low[row]!, homes.high[row]!, card)) return f;
  }
  throw new RangeError("No foundation takes the card.");
}

/**
 * Whether a card that fits a foundation can go there immediately without losing a win.
 *
 * If cards can be returned from foundations, all cards that could ever lie over it must be home, so
 * that nothing needs it in the tableau. Otherwise it suffices that each card which fits on it can
 * go home itself, and so can each card that such a card could hold.
 */
function isSafe({ tables, homeLow, homeHigh, nextLow, nextHigh }: Position, card: number): boolean {
  const { kids, grandkids, over } = tables;
  if (tables.givesBack)
    return ((over.low[card]! & ~homeLow) | (over.high[card]! & ~homeHigh)) === 0;
  const low = kids.low[card]!;
  const high = kids.high[card]!;
  if (((low & ~homeLow) | (high & ~homeHigh)) === 0) return true;
  const otherLow = (low | grandkids.low[card]!) & ~(homeLow | nextLow);
  return (otherLow | ((high | grandkids.high[card]!) & ~(homeHigh | nextHigh))) === 0;
}

/**
 * Whether a pile's top card could be returned to its place.
 *
 * If so, sending it home loses no win: it can be returned before it is needed. That may require
 * returning others first, in any order; `binding` allows that.
 */
function canReturn({ tables, size, hidden, cards }: Position, pile: number, card: number): boolean {
  if (pile >= tables.columns) return false;
  const left = size[pile]! - 1;
  if (left > 0 && hidden[pile] === left) return false;
  const top = left > 0 ? cards[pile * STRIDE + left - 1]! : NONE;
  return tables.builds[(top + 1) * PACK_SIZE + card] === 1;
}
