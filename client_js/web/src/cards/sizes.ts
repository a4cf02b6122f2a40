/**
 * The sizes in which cards are drawn, since a corner that is readable on a phone would crowd a
 * large card. The tall one is for narrow columns, which leave height to spare.
 */

import { RANKS, SUITS } from "../../../src/rules/cards.ts";

export type Size = "tall" | "small" | "medium" | "large";

/** The width of a card in the units of all drawings, and its height in each size. */
export const WIDTH = 240;
export const HEIGHTS: Readonly<Record<Size, number>> = {
  tall: 400,
  small: 336,
  medium: 336,
  large: 336,
};

/** The numbers of all cards. */
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
