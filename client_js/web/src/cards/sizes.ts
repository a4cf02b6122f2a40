/**
 * The drawing sizes of cards: a corner readable on a phone would crowd a large card. The tall size
 * is for narrow columns, which leave height to spare.
 */

import { RANKS, SUITS } from "../../../src/rules/cards.ts";

export type Size = "tall" | "small" | "medium" | "large";

/** The width of a card in drawing units, and its height in each size. */
export const WIDTH = 240;
export const HEIGHTS: Readonly<Record<Size, number>> = {
  tall: 400,
  small: 336,
  medium: 336,
  large: 336,
};

export const CARDS: readonly number[] = Array.from(
  { length: SUITS.length * RANKS.length },
  (_, card) => card,
);

/** Return the size that is readable at a width in pixels. */
export function sizeFor(width: number): Size {
  if (width < 60) return "small";
  return width < 110 ? "medium" : "large";
}

/** Return the ratio of card height to width. */
export function aspectOf(size: Size): number {
  return HEIGHTS[size] / WIDTH;
}

/** Whether cards of this size have only one corner. */
export function isSmall(size: Size): boolean {
  return size === "small" || size === "tall";
}
