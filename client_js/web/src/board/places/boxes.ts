/** The boxes of a board's piles and cards, in CSS pixels from its top left corner. */

import type { Size } from "../../cards/index.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export interface PileLayout {
  /** The place's box in the size of its cards; width 0 if the pile has none. */
  readonly place: Box;
  /** The cards' top left corners, bottom to top. */
  readonly cards: readonly Point[];
  /** The drop target. */
  readonly reach: Box;
  /** The drawing size of its cards. */
  readonly size: Size;
}

export interface BoardLayout {
  readonly width: number;
  readonly height: number;
  readonly cardWidth: number;
  /** Card height by card width. */
  readonly aspect: number;
  /** By pile number. */
  readonly piles: readonly PileLayout[];
  /** The free space next to stock and waste at the bottom; null in wide windows. */
  readonly actions: Box | null;
}
