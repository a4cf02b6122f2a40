/**
 * The sizes in which cards are drawn, for a corner that is readable on a phone would crowd a large
 * card. The tall one is for columns so narrow that there is more height than width to use.
 */

import { RANKS, SUITS } from "../../../src/rules/cards.ts";

export type Size = "tall" | "small" | "medium" | "large";

/** The units of all drawings: a card is so wide, and so high in each size. */
export const WIDTH = 240;
export const HEIGHTS: Readonly<Record<Size, number>> = {
  tall: 400,
  small: 336,
  medium: 336,
  large: 336,
};

/** Every card that there is, by its number. */
export const CARDS: readonly number[] = Array.from(
  { length: SUITS.length * RANKS.length },
  (_, card) => card,
);

/** The size in which cards of this width, in pixels, are readable. */
export function sizeFor(width: number): Size {
  if (width < 60) return "small";
  return width < 110 ? "medium" : "large";
}

/** Card height by card width. */
export function aspectOf(size: Size): number {
  return HEIGHTS[size] / WIDTH;
}

/** Whether cards of this size have one corner only. */
export function isSmall(size: Size): boolean {
  return size === "small" || size === "tall";
}
