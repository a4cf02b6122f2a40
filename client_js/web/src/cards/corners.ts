/** The corners of cards, with rank and suit: their heights, and dense ones for narrow strips. */

import type { Size } from "./sizes.ts";

/** The heights of dense cards' corners, in hundredths of the card width. */
export const DENSE = [40, 35, 30, 26, 23, 20, 17, 15, 13, 11, 10, 9, 8] as const;

/** The heights of corners, with rank and suit, relative to the card width. */
const CORNERS: Readonly<Record<string, number>> = {
  tall: 0.5,
  small: 0.435,
  medium: 0.255,
  large: 0.213,
};

/** Return the height of rank and suit at the top of a card, relative to its width. */
export function cornerOf(size: Size): number {
  return CORNERS[size] ?? Number(size.split("-").at(-1)) / 100;
}

/** Return this size, or the largest dense one if only `strip` card widths of a card are visible. */
export function fittingSize(size: Size, strip: number): Size {
  if (cornerOf(size) <= strip) return size;
  const dense = DENSE.find((corner) => corner / 100 <= strip) ?? DENSE[DENSE.length - 1];
  return `${size === "tall" ? "tall-" : ""}dense-${dense ?? 8}`;
}
