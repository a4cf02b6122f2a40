/** Where every pile and card lies, from the rules, the view and the room there is. Nothing else. */

import { type View, pileAt } from "../../../src/rules/board.ts";
import { isDown } from "../../../src/rules/cards.ts";
import type { Ruleset } from "../../../src/rules/ruleset.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export interface PileLayout {
  /** Where the pile's place is drawn, and its first card lies. */
  readonly place: Box;
  /** The cards' upper left corners, bottom to top. */
  readonly cards: readonly Point[];
  /** What counts as "over this pile" when cards are dropped. */
  readonly reach: Box;
}

export interface BoardLayout {
  readonly width: number;
  readonly height: number;
  readonly cardWidth: number;
  readonly cardHeight: number;
  /** By pile number. */
  readonly piles: readonly PileLayout[];
}

/** Card height by card width. */
const ASPECT = 1.4;
const WIDEST_CARD = 132;
/** The least and the most space between columns, by card width. */
const TIGHT = 0.06;
const LOOSE = 0.3;
/** The space between rows, by card height. */
const ROW_SPACE = 0.12;
/** How high a tableau should be able to stand before its fans close up, by card height. */
const TABLEAU_HEIGHT = 3;
/** Cards narrower than this have a face with one large corner. */
const COMPACT_BELOW = 76;
const DOWN_STEP = 0.14;
const LEAST_DOWN_STEP = 0.035;
const UP_STEP = 0.24;
/** A compact card's corner is larger, and a finger needs so many pixels. */
const COMPACT_UP_STEP = 0.42;
const FINGER = 22;
const WASTE_STEP = 0.28;
const WASTE_SHOWN = 3;

/** The space left free along the edges. */
function marginOf(width: number): number {
  return clamp(width * 0.015, 4, 24);
}

/** Whether cards of this width are drawn with the compact face. */
export function isCompact(cardWidth: number): boolean {
  return cardWidth < COMPACT_BELOW;
}

/** Lay the view out in `width` by `height` pixels. */
export function layOut(view: View, width: number, height: number): BoardLayout {
  const { ruleset } = view;
  const margin = marginOf(width);
  const grid = bestGrid(ruleset, width, height);
  const { columns, perRow, cardWidth } = grid;
  const cardHeight = Math.round(cardWidth * ASPECT);
  const space = spaceBetween(columns, cardWidth, width - 2 * margin);
  const block = columns * cardWidth + (columns - 1) * space;
  const left = (width - block) / 2;
  const column = (at: number) => left + at * (cardWidth + space);
  const row = (at: number) => top + at * cardHeight * (1 + ROW_SPACE);
  // Without a tableau the one row would look lost at the very top.
  const top = ruleset.tableau.length > 0 ? margin : Math.max(margin, (height - cardHeight) / 3);

  const box = ({ x, y }: Point): Box => ({ x, y, width: cardWidth, height: cardHeight });
  const squared = (pile: number, at: Point): PileLayout => {
    const place = box(at);
    return { place, cards: pileAt(view, pile).map(() => at), reach: place };
  };
  const tableauTop = row(grid.rows) + cardHeight * ROW_SPACE;
  const tableauSpace = spaceBetween(ruleset.tableau.length, cardWidth, block);
  const tableauBlock = ruleset.tableau.length * (cardWidth + tableauSpace) - tableauSpace;
  const fanned = (pile: number, nth: number): PileLayout => {
    const x = (width - tableauBlock) / 2 + nth * (cardWidth + tableauSpace);
    const steps = fan(view, pile, cardWidth, height - margin - tableauTop - cardHeight);
    const reach = { x, y: tableauTop, width: cardWidth, height: height - tableauTop };
    return {
      place: box({ x, y: tableauTop }),
      cards: steps.map((y) => ({ x, y: tableauTop + y })),
      reach,
    };
  };

  const firstHome = columns - perRow;
  const piles: PileLayout[] = [];
  ruleset.foundations.forEach((pile, nth) => {
    const at = { x: column(firstHome + (nth % perRow)), y: row(Math.floor(nth / perRow)) };
    piles[pile] = squared(pile, at);
  });
  ruleset.tableau.forEach((pile, nth) => {
    piles[pile] = fanned(pile, nth);
  });
  piles[ruleset.stock] = squared(ruleset.stock, { x: column(0), y: row(0) });
  if (ruleset.waste !== null) {
    const spare = column(firstHome) - column(1) - cardWidth - space;
    piles[ruleset.waste] = waste(view, ruleset.waste, box({ x: column(1), y: row(0) }), spare);
  }
  return { width, height, cardWidth, cardHeight, piles };
}

/** The piles that a box lies over, the one that it covers most first. */
export function pilesUnder(layout: BoardLayout, box: Box): number[] {
  return layout.piles
    .map(({ reach }, pile) => ({ pile, area: shared(reach, box) }))
    .filter(({ area }) => area > 0)
    .sort((a, b) => b.area - a.area)
    .map(({ pile }) => pile);
}

interface Grid {
  readonly rows: number;
  readonly columns: number;
  readonly perRow: number;
  readonly cardWidth: number;
}

/** One row of foundations or two, whichever leaves the larger cards. */
function bestGrid(ruleset: Ruleset, width: number, height: number): Grid {
  const one = gridOf(ruleset, 1, width, height);
  const two = gridOf(ruleset, 2, width, height);
  return two.cardWidth > one.cardWidth ? two : one;
}

function gridOf(ruleset: Ruleset, rows: number, width: number, height: number): Grid {
  const margin = marginOf(width);
  const perRow = Math.ceil(ruleset.foundations.length / rows);
  const beside = ruleset.waste === null ? 1 : 2;
  const columns = Math.max(ruleset.tableau.length, perRow + beside);
  const byWidth = (width - 2 * margin) / (columns + (columns - 1) * TIGHT);
  const tableau = ruleset.tableau.length > 0 ? TABLEAU_HEIGHT + ROW_SPACE : 0;
  const byHeight = (height - 2 * margin) / (rows * (1 + ROW_SPACE) + tableau) / ASPECT;
  const cardWidth = Math.max(1, Math.floor(Math.min(byWidth, byHeight, WIDEST_CARD)));
  return { rows, columns, perRow, cardWidth };
}

function spaceBetween(columns: number, cardWidth: number, width: number): number {
  const free = (width - columns * cardWidth) / Math.max(1, columns - 1);
  return clamp(free, 0, cardWidth * LOOSE);
}

/** How far below the first each card of a column lies; a fan that is too long closes up. */
function fan(view: View, pile: number, cardWidth: number, room: number): number[] {
  const cardHeight = cardWidth * ASPECT;
  const up = isCompact(cardWidth)
    ? Math.max(cardHeight * COMPACT_UP_STEP, FINGER)
    : cardHeight * UP_STEP;
  const beneath = pileAt(view, pile).slice(0, -1);
  const downs = beneath.filter(isDown).length;
  const ups = beneath.length - downs;
  // Backs all look alike, so they close up before the faces do.
  const left = room - ups * up;
  const down = clamp(
    left / Math.max(1, downs),
    cardHeight * LEAST_DOWN_STEP,
    cardHeight * DOWN_STEP,
  );
  const scale = Math.min(1, Math.max(0, room) / Math.max(1, ups * up + downs * down));
  let y = 0;
  const steps = beneath.map((card) => (y += (isDown(card) ? down : up) * scale));
  return pileAt(view, pile).length > 0 ? [0, ...steps] : [];
}

/** The waste shows its last cards side by side where there is room to the right of it. */
function waste(view: View, pile: number, place: Box, spare: number): PileLayout {
  const cards = pileAt(view, pile);
  const step = Math.max(0, Math.min(place.width * WASTE_STEP, spare / (WASTE_SHOWN - 1)));
  const first = Math.max(0, cards.length - WASTE_SHOWN);
  const points = cards.map((_, at) => ({
    x: place.x + Math.max(0, at - first) * step,
    y: place.y,
  }));
  return { place, cards: points, reach: place };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

function shared(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}
