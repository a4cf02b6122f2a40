/**
 * The board's layout: the boxes of all piles and cards, as a pure function of the view and the
 * space.
 *
 * There are three arrangements. Tall windows have small foundations at the top, the tableau across
 * the whole width, and stock and waste at the bottom, near the thumb. Wide ones use one grid of
 * columns, with stock and waste in its first row if there is room, otherwise in their own column.
 * Boards with only stock, waste and one foundation have these in the middle, and those with peaks
 * have their own arrangement.
 */

import type { View } from "../../../src/rules/board.ts";
import type { Hand } from "../app/settings.svelte.ts";
import type { BoardLayout, Box } from "./places/boxes.ts";
import { withoutTableau } from "./places/few.ts";
import { tallPeaks, widePeaks } from "./places/peaks.ts";
import { roomOf } from "./places/room.ts";
import { tall } from "./places/tall.ts";
import { wide } from "./places/wide.ts";

/** The least ratio of height to width of a tall board: a tablet's, below the track of a race. */
const TALL = 1;

/**
 * Lay out the view in pixels. `tools`: the height that the actions need at the width that the
 * layout gives them, or 0 while it is unknown; null for a board without a player.
 */
export function layOut(
  view: View,
  width: number,
  height: number,
  hand: Hand,
  tools: number | null = 0,
): BoardLayout {
  const room = roomOf(view, width, height, hand, tools);
  const isTall = height > width * TALL;
  const { tableau, reserve, cells, foundations } = view.ruleset;
  const others = tableau.length + reserve.length + cells.length;
  if (others === 0 && foundations.length === 1) return withoutTableau(room, isTall);
  if (view.ruleset.peaks !== null) return isTall ? tallPeaks(room) : widePeaks(room);
  return isTall ? tall(room) : wide(room);
}

/** Return the piles overlapping a box, most overlapped first. */
export function pilesUnder(layout: BoardLayout, box: Box): number[] {
  return layout.piles
    .map(({ reach }, pile) => ({ pile, area: shared(reach, box) }))
    .filter(({ area }) => area > 0)
    .sort((a, b) => b.area - a.area)
    .map(({ pile }) => pile);
}

function shared(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}
