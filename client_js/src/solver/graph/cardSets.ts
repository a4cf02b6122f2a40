/**
 * Sets of cards, or of other numbers below 52, as the bits of two 32-bit integers, because
 * JavaScript's bit operations have 32 bits. The low half has the numbers below 26, the first two
 * suits.
 */

import { PACK_SIZE } from "../../rules/cards.ts";

export const HALF = 26;

export interface CardSets {
  readonly low: Int32Array;
  readonly high: Int32Array;
}

export function setsOf(rows: number, has: (row: number, card: number) => boolean): CardSets {
  const low = new Int32Array(rows);
  const high = new Int32Array(rows);
  for (let row = 0; row < rows; row++) {
    for (let card = 0; card < PACK_SIZE; card++) {
      if (!has(row, card)) continue;
      if (card < HALF) low[row]! |= 1 << card;
      else high[row]! |= 1 << (card - HALF);
    }
  }
  return { low, high };
}

/** Return, for each row, the union of the `sets` of its members in `rows`. */
export function unionsOf(rows: CardSets, sets: CardSets): CardSets {
  const unions = { low: new Int32Array(rows.low.length), high: new Int32Array(rows.low.length) };
  for (let row = 0; row < rows.low.length; row++) {
    for (let card = 0; card < PACK_SIZE; card++) {
      if (!isIn(rows.low[row]!, rows.high[row]!, card)) continue;
      unions.low[row]! |= sets.low[card]!;
      unions.high[row]! |= sets.high[card]!;
    }
  }
  return unions;
}

export function isIn(low: number, high: number, card: number): boolean {
  return ((card < HALF ? low >>> card : high >>> (card - HALF)) & 1) === 1;
}

export function countIn(half: number): number {
  let count = 0;
  for (let left = half; left !== 0; left &= left - 1) count += 1;
  return count;
}
