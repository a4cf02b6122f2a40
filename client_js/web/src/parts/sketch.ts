/** A small drawing of a game's initial piles, derived from its rules without a deal. */

import type { Rules } from "../../../src/rules/schema.ts";

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
/** The visible strip of a covered card. */
const STRIP = 3;

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
    const card = (at: number, height: number) => `M${x} ${at}h${WIDTH}v${height}h-${WIDTH}z`;
    if (count === 0) drawn.places += card(y, HEIGHT);
    for (let under = count - 1; under >= 0; under--, y += STRIP) {
      drawn[under < up ? "faces" : "backs"] += card(y, under > 0 ? STRIP : HEIGHT);
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
  const perRow = Math.ceil(columns.length / rows);
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
  for (let from = 0; from < columns.length; from += perRow) {
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
