/**
 * The drawing sizes of cards: a corner readable on a phone would crowd a large card. The tall size
 * is for narrow columns, which leave height to spare; the dense ones are for columns so long that
 * the corners of the other sizes would be covered.
 */

import { RANKS, SUITS } from "../../../src/rules/cards.ts";

/** The corner of a dense card in hundredths of the card width. */
type Dense = 40 | 35 | 30 | 26 | 23 | 20 | 17 | 15 | 13 | 11 | 10 | 9 | 8;

/** The sizes whose corners the usual fans leave visible. */
export type Usual = "tall" | "small" | "medium" | "large";
export type Size = Usual | `dense-${Dense}` | `tall-dense-${Dense}`;

/** The width of a card in drawing units, and its height: the tall one, and the usual one. */
export const WIDTH = 240;
const TALL = 400;
export const USUAL = 336;

export const CARDS: readonly number[] = Array.from(
  { length: SUITS.length * RANKS.length },
  (_, card) => card,
);

/** Return the size that is readable at a width in pixels. */
export function sizeFor(width: number): Usual {
  if (width < 60) return "small";
  return width < 110 ? "medium" : "large";
}

/** Return the card height in drawing units. */
export function heightOf(size: Size): number {
  return size.startsWith("tall") ? TALL : USUAL;
}

/** Return the ratio of card height to width. */
export function aspectOf(size: Size): number {
  return heightOf(size) / WIDTH;
}

/** Whether cards of this size have only one corner. */
export function isSmall(size: Size): boolean {
  return size === "small" || size === "tall";
}
