/** A small drawing of a game's initial piles, derived from its rules without a deal. */

import { rowsOf } from "../../../src/rules/peaks.ts";
import type { Rules, Tableau } from "../../../src/rules/schema.ts";

/** The drawing, as the data of one SVG path per colour. */
export interface Sketch {
  readonly width: number;
  readonly height: number;
  /** Piles without a card. */
  readonly places: string;
  readonly backs: string;
  readonly faces: string;
  /** A pip on each uncovered face. */
  readonly reds: string;
  readonly blacks: string;
}

const WIDTH = 10;
const HEIGHT = 14;
const GAP = 2;
/** The distance between piles in a row. */
const STEP = WIDTH + GAP;
/** The visible strip of a covered card, in a column and in a row of peaks. */
const STRIP = 3;
const ROW = 6;

/** Return the path of a card, or of the top strip of one. */
function card(x: number, y: number, height: number): string {
  return `M${x} ${y}h${WIDTH}v${height}h-${WIDTH}z`;
}

/** Return the number of places of each row of peaks; null for columns. */
function peakRowsOf({ peaks, deal }: Tableau): readonly number[] | null {
  return peaks === null ? null : rowsOf(peaks, deal.length);
}

/**
 * Draw cells and foundations at the top, the tableau below, to the right of a reserve, and stock
 * and waste at the bottom right, as on a phone; all in one row without a tableau.
 */
export function sketchOf(rules: Rules): Sketch {
  const { foundations, tableau, stock, waste, reserve, cells } = rules;
  const drawn = { places: "", backs: "", faces: "", reds: "", blacks: "" };
  let pips = 0;

  function draw(nth: number, y: number, count: number, up: number): void {
    const x = nth * STEP;
    if (count === 0) drawn.places += card(x, y, HEIGHT);
    for (let under = count - 1; under >= 0; under--, y += STRIP) {
      drawn[under < up ? "faces" : "backs"] += card(x, y, under > 0 ? STRIP : HEIGHT);
      if (under === 0 && up > 0) {
        drawn[pips++ % 2 > 0 ? "reds" : "blacks"] += `M${x + 5} ${y + 3}l3 4-3 4-3-4z`;
      }
    }
  }

  const homes = foundations.flatMap(({ piles, setup }) =>
    Array<number>(piles).fill(setup === "empty" ? 0 : 1),
  );
  // Each with the number of its face-up cards.
  const laid = [reserve, tableau].flatMap((part) =>
    (part?.deal ?? []).map((count) => ({
      count,
      up: part?.face_up === "all" ? count : (part?.face_up ?? 0),
    })),
  );
  const columns = laid.map(({ count }) => count);
  const most = Math.max(1, ...columns);
  // Many piles of one card fit in two rows, where they can be larger.
  const rows = columns.length > 8 && most === 1 ? 2 : 1;
  const peakRows = tableau === null ? null : peakRowsOf(tableau);
  const perRow = peakRows?.at(-1) ?? Math.ceil(columns.length / rows);
  const docked = Number(stock.plays.length > 0) + Number(waste !== null);
  const inTop = (cells?.piles ?? 0) + homes.length;
  const across = Math.max(inTop + (tableau === null ? docked : 0), perRow);

  for (let nth = 0; nth < inTop - homes.length; nth++) draw(nth, 0, 0, 0);
  const beside = across - homes.length;
  // Cells and a reserve are leftmost.
  const left = cells !== null || reserve !== null;
  const firstHome = tableau === null ? 0 : left ? beside : beside / 2;
  homes.forEach((count, nth) => draw(firstHome + nth, 0, count, 1));
  let y = tableau === null ? 0 : HEIGHT + 2 * GAP;
  for (const [row, size] of (peakRows ?? []).entries()) {
    const below = (peakRows?.length ?? 0) - 1 - row;
    const up = tableau?.face_up === "all" || below < (tableau?.face_up ?? 0) ? 1 : 0;
    for (let nth = 0; nth < size; nth++) {
      // In the middle between the two cards that cover it; the last row is complete.
      const peak = below === 0 ? 0 : Math.floor(nth / (row + 1));
      const x = nth + peak * (below - 1) + below / 2 + (across - perRow) / 2;
      if (below === 0) draw(x, y, 1, up);
      else drawn[up > 0 ? "faces" : "backs"] += card(x * STEP, y, ROW);
    }
    y += below > 0 ? ROW : HEIGHT + 2 * GAP;
  }
  for (let from = 0; peakRows === null && from < columns.length; from += perRow) {
    laid.slice(from, from + perRow).forEach(({ count, up }, nth) => {
      draw((across - perRow) / 2 + nth, y, count, up);
    });
    y += (most - 1) * STRIP + HEIGHT + 2 * GAP;
  }
  if (waste !== null) draw(across - 2, y, 0, 0);
  if (docked > 0) draw(across - 1, y, 1, stock.top === "up" ? 1 : 0);
  else y -= HEIGHT + 2 * GAP;
  return { width: across * STEP - GAP, height: y + HEIGHT, ...drawn };
}
