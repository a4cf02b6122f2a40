/**
 * The board's layout: the boxes of all piles and cards, a pure function of the view and the space.
 *
 * There are two arrangements. Tall windows have the foundations small at the top, the tableau over
 * the whole width, and stock and waste at the bottom, where the thumb is. Wide ones put everything
 * on one grid of columns, with stock and waste in its first row where that has room for them, else
 * in a column of their own.
 */

import { type View, pileAt } from "../../../src/rules/board.ts";
import { isDown } from "../../../src/rules/cards.ts";
import type { Ruleset } from "../../../src/rules/ruleset.ts";
import { type Size, aspectOf, sizeFor } from "../cards/index.ts";
import type { Hand } from "../app/settings.svelte.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export interface PileLayout {
  /** Where the pile's place is drawn, in the size that its cards have. */
  readonly place: Box;
  /** The cards' upper left corners, bottom to top. */
  readonly cards: readonly Point[];
  /** The drop target. */
  readonly reach: Box;
  /** How its cards are drawn. */
  readonly size: Size;
}

export interface BoardLayout {
  readonly width: number;
  readonly height: number;
  /** The width of the largest cards. */
  readonly cardWidth: number;
  /** Card height by card width. */
  readonly aspect: number;
  /** By pile number. */
  readonly piles: readonly PileLayout[];
  /** The free space beside stock and waste at the bottom; null in wide windows. */
  readonly actions: Box | null;
}

/** The least height by width of a tall window. */
const TALL = 1.1;
const WIDEST_CARD = 360;
/** The least and the most space between columns, by card width. */
const TIGHT = 0.06;
const LOOSE = 0.32;
/** The space between rows, by card height. */
const ROW_SPACE = 0.14;
/** The height that columns may take before their fans are compressed, by card height. */
const TABLEAU_HEIGHT = 2.9;
const DOWN_STEP = 0.14;
const MIN_DOWN_STEP = 0.035;
/** The visible part of a covered card where there is space, by card height: rank and suit. */
const UP_STEP = { tall: 0.34, small: 0.37, medium: 0.28, large: 0.24 } as const;
/** The same in tall windows, which have more space, and where fingers need it. */
const TALL_UP_STEP = { tall: 0.49, small: 0.52, medium: 0.38, large: 0.32 } as const;
/** The same by card width, in a fan to the side. */
const SIDE_STEP = { tall: 0.54, small: 0.54, medium: 0.3, large: 0.28 } as const;
/** How many of the waste's last cards are visible. */
const WASTE_SHOWN = 3;

/** Lay the view out in `width` by `height` pixels. */
export function layOut(view: View, width: number, height: number, hand: Hand): BoardLayout {
  const { ruleset } = view;
  const margin = clamp(width * 0.015, 4, 24);
  const aspect = aspectOf("large");
  const room: Room = { view, ruleset, width, height, hand, margin, aspect };
  if (ruleset.tableau.length === 0) return withoutTableau(room);
  return height > width * TALL ? tall(room) : wide(room);
}

/** The piles that a box overlaps, the most overlapped first. */
export function pilesUnder(layout: BoardLayout, box: Box): number[] {
  return layout.piles
    .map(({ reach }, pile) => ({ pile, area: shared(reach, box) }))
    .filter(({ area }) => area > 0)
    .sort((a, b) => b.area - a.area)
    .map(({ pile }) => pile);
}

interface Room {
  readonly view: View;
  readonly ruleset: Ruleset;
  readonly width: number;
  readonly height: number;
  readonly hand: Hand;
  /** The space left free along the edges. */
  readonly margin: number;
  /** Card height by card width. */
  readonly aspect: number;
}

// --- tall windows --------------------------------------------------------------------------------

/** Small foundations at the top, one or two rows of columns, stock and waste at the bottom. */
function tall(window: Room): BoardLayout {
  const { ruleset, width, height, margin } = window;
  const inner = width - 2 * margin;
  const homes = ruleset.foundations.length;
  const rows = tableauRows(ruleset);
  const perRow = Math.ceil(ruleset.tableau.length / rows);
  // Narrow columns leave height to spare.
  const aspect = sizeFor(across(inner, perRow)) === "small" ? aspectOf("tall") : window.aspect;
  const room = { ...window, aspect };
  const docked = dock(room, Math.min(width * 0.19, (height * 0.16) / aspect));
  const homeWidth = Math.floor(
    Math.min(across(inner, homes), across(inner, perRow), height * 0.11),
  );
  const top = margin + homeWidth * aspect + margin * 2.5;
  const rowHeight = (docked.top - margin - top) / rows;
  const cardWidth = Math.floor(Math.min(across(inner, perRow), rowHeight / aspect / 1.8));
  const piles: PileLayout[] = [...docked.piles];
  const homeAt = spread(homes, homeWidth, width, margin);
  ruleset.foundations.forEach((pile, nth) => {
    piles[pile] = squared(room, pile, boxAt(room, homeAt(nth), margin, homeWidth));
  });
  const columnAt = spread(perRow, cardWidth, width, margin);
  ruleset.tableau.forEach((pile, nth) => {
    const y = top + Math.floor(nth / perRow) * rowHeight;
    const place = boxAt(room, columnAt(nth % perRow), y, cardWidth);
    const up = place.height * TALL_UP_STEP[sizeOf(room, cardWidth)];
    piles[pile] = column(room, pile, place, y + rowHeight - margin, up);
  });
  const widest = Math.max(cardWidth, ...piles.map(({ place }) => place.width));
  return { width, height, cardWidth: widest, aspect, piles, actions: docked.actions };
}

/** Many columns that start with one card each stay short: in two rows, cards can be larger. */
function tableauRows({ tableau, rules }: Ruleset): number {
  const dealt = rules.tableau?.deal ?? [];
  return tableau.length > 8 && dealt.every((count) => count <= 1) ? 2 : 1;
}

interface Dock {
  readonly top: number;
  /** Stock and waste, by pile number. */
  readonly piles: readonly PileLayout[];
  readonly actions: Box;
}

/** Stock and waste along the bottom, with cards of this width, on the side of the hand. */
function dock(room: Room, wanted: number): Dock {
  const { ruleset, width, height, margin, hand, aspect } = room;
  const cardWidth = Math.floor(wanted);
  const top = height - margin - cardWidth * aspect;
  const gap = cardWidth * 0.12;
  const step = cardWidth * SIDE_STEP[sizeOf(room, cardWidth)];
  const fanned = ruleset.waste === null ? 0 : cardWidth + gap + step * (WASTE_SHOWN - 1);
  const right = hand === "right";
  const stockX = right ? width - margin - cardWidth : margin;
  const piles: PileLayout[] = [];
  piles[ruleset.stock] = squared(room, ruleset.stock, boxAt(room, stockX, top, cardWidth));
  if (ruleset.waste !== null) {
    // The top card stays in place, and those beneath are fanned to its left.
    const x = right ? stockX - gap - cardWidth : stockX + fanned;
    piles[ruleset.waste] = wasteFan(room, ruleset.waste, boxAt(room, x, top, cardWidth), -step, 0);
  }
  const used = cardWidth + fanned + gap;
  const free = width - 2 * margin - used;
  const actions = { x: right ? margin : width - margin - free, y: top, width: free };
  return { top, piles, actions: { ...actions, height: cardWidth * aspect } };
}

// --- wide windows --------------------------------------------------------------------------------

/** Foundations and columns on one grid. */
function wide(room: Room): BoardLayout {
  const { ruleset, width, height, margin, hand, aspect } = room;
  const homes = ruleset.foundations.length;
  const columns = ruleset.tableau.length;
  // In the first row the waste takes as much room as two cards.
  const inRow = 1 + (ruleset.waste === null ? 0 : 2) + homes <= columns;
  const total = inRow ? columns : Math.max(columns + 1, homes);
  const inner = width - 2 * margin;
  const rows = 1 + ROW_SPACE + TABLEAU_HEIGHT;
  const byHeight = (height - 2 * margin) / rows / aspect;
  const cardWidth = Math.floor(Math.min(across(inner, total), byHeight, WIDEST_CARD));
  const cardHeight = cardWidth * aspect;
  const gridAt = spread(total, cardWidth, width, margin);
  // The column of stock and waste is on the side of the hand; all others follow.
  const shift = !inRow && hand === "left" ? 1 : 0;
  const at = (nth: number) => gridAt(nth + shift);
  const tableauTop = margin + cardHeight * (1 + ROW_SPACE);
  const piles: PileLayout[] = [];
  const firstHome = inRow ? columns - homes : Math.max(0, Math.floor((columns - homes) / 2));
  ruleset.foundations.forEach((pile, nth) => {
    // Where there are more foundations than columns, one stands above the stock.
    const x = homes > columns ? gridAt(nth) : at(firstHome + nth);
    piles[pile] = squared(room, pile, boxAt(room, x, margin, cardWidth));
  });
  ruleset.tableau.forEach((pile, nth) => {
    const place = boxAt(room, at(nth), tableauTop, cardWidth);
    const up = cardHeight * UP_STEP[sizeOf(room, cardWidth)];
    piles[pile] = column(room, pile, place, height - margin, up);
  });
  const aside = inRow ? gridAt(0) : gridAt(hand === "left" ? 0 : total - 1);
  const stockTop = !inRow && homes > columns ? tableauTop : margin;
  piles[ruleset.stock] = squared(room, ruleset.stock, boxAt(room, aside, stockTop, cardWidth));
  if (ruleset.waste !== null) {
    const step = inRow ? cardWidth * SIDE_STEP[sizeOf(room, cardWidth)] : 0;
    const down = inRow ? 0 : cardHeight * UP_STEP[sizeOf(room, cardWidth)];
    const place = inRow
      ? boxAt(room, gridAt(1), margin, cardWidth)
      : boxAt(room, aside, stockTop + cardHeight * (1 + ROW_SPACE), cardWidth);
    piles[ruleset.waste] = wasteFan(room, ruleset.waste, place, step, down);
  }
  return { width, height, cardWidth, aspect, piles, actions: null };
}

// --- without a tableau ---------------------------------------------------------------------------

/** One foundation in the middle, fanned; stock and waste on the side of the hand. */
function withoutTableau(room: Room): BoardLayout {
  const { ruleset, width, height, margin, hand, aspect } = room;
  const piles: PileLayout[] = [];
  if (height > width * TALL) {
    const docked = dock(room, Math.min(width * 0.25, (height * 0.22) / aspect));
    const free = docked.top - 2 * margin;
    const cardWidth = Math.floor(Math.min(width * 0.46, (free * 0.72) / aspect));
    const step = cardWidth * SIDE_STEP[sizeOf(room, cardWidth)];
    docked.piles.forEach((pile, number) => (piles[number] = pile));
    const y = margin + (free - cardWidth * aspect) / 2;
    for (const pile of ruleset.foundations) {
      piles[pile] = wasteFan(
        room,
        pile,
        boxAt(room, (width - cardWidth) / 2, y, cardWidth),
        -step,
        0,
      );
    }
    return { width, height, cardWidth, aspect, piles, actions: docked.actions };
  }
  const side = 2 * SIDE_STEP.large;
  const cards = 3 + 2 * side + 2 * LOOSE;
  const cardWidth = Math.floor(
    Math.min((width - 2 * margin) / cards, ((height - 2 * margin) * 0.72) / aspect, WIDEST_CARD),
  );
  const step = (cardWidth * side) / 2;
  const y = (height - cardWidth * aspect) / 2;
  const left = (width - cards * cardWidth) / 2;
  const between = cardWidth * LOOSE;
  // From the hand's side inwards: stock, waste, foundation.
  const x = (offset: number) => left + offset;
  const fanWidth = cardWidth + 2 * step;
  const at =
    hand === "left"
      ? {
          stock: x(0),
          waste: x(cardWidth + between + 2 * step),
          home: x(cardWidth + fanWidth + 2 * between + 2 * step),
        }
      : {
          home: x(2 * step),
          waste: x(fanWidth + between + 2 * step),
          stock: x(2 * fanWidth + 2 * between),
        };
  piles[ruleset.stock] = squared(room, ruleset.stock, boxAt(room, at.stock, y, cardWidth));
  if (ruleset.waste !== null) {
    piles[ruleset.waste] = wasteFan(
      room,
      ruleset.waste,
      boxAt(room, at.waste, y, cardWidth),
      -step,
      0,
    );
  }
  for (const pile of ruleset.foundations) {
    piles[pile] = wasteFan(room, pile, boxAt(room, at.home, y, cardWidth), -step, 0);
  }
  return { width, height, cardWidth, aspect, piles, actions: null };
}

// --- piles ---------------------------------------------------------------------------------------

/** The box of a card, on whole pixels, so that cards are crisp. */
function boxAt({ aspect }: Room, x: number, y: number, cardWidth: number): Box {
  return { x: Math.round(x), y: Math.round(y), width: cardWidth, height: cardWidth * aspect };
}

/** How cards of this width are drawn. */
function sizeOf({ aspect }: Room, cardWidth: number): Size {
  return aspect === aspectOf("tall") ? "tall" : sizeFor(cardWidth);
}

/** A squared pile: its cards lie exactly on one another. */
function squared(room: Room, pile: number, place: Box): PileLayout {
  const at = { x: place.x, y: place.y };
  const cards = pileAt(room.view, pile).map(() => at);
  return { place, cards, reach: place, size: sizeOf(room, place.width) };
}

/** A column that must end above `bottom`; `up`: the visible pixels of a covered card. */
function column(room: Room, pile: number, place: Box, bottom: number, up: number): PileLayout {
  const steps = fan(room.view, pile, place.height, bottom - place.y - place.height, up);
  const cards = steps.map((y) => ({ x: place.x, y: Math.round(place.y + y) }));
  const reach = { ...place, height: Math.max(place.height, bottom - place.y) };
  return { place, cards, reach, size: sizeOf(room, place.width) };
}

/** The offset of each card of a column from the first; a fan that is too long is compressed. */
function fan(view: View, pile: number, height: number, room: number, up: number): number[] {
  const cards = pileAt(view, pile);
  const beneath = cards.slice(0, -1);
  const downs = beneath.filter(isDown).length;
  const ups = beneath.length - downs;
  // Backs all look alike, so they are compressed before faces.
  const left = room - ups * up;
  const down = clamp(left / Math.max(1, downs), height * MIN_DOWN_STEP, height * DOWN_STEP);
  const scale = Math.min(1, Math.max(0, room) / Math.max(1, ups * up + downs * down));
  let y = 0;
  const steps = beneath.map((card) => (y += (isDown(card) ? down : up) * scale));
  return cards.length > 0 ? [0, ...steps] : [];
}

/**
 * A pile whose last cards are fanned sideways: to the left of the top one at `place` if `step` < 0,
 * else to the right of the lowest one at `place`.
 */
function wasteFan(room: Room, pile: number, place: Box, step: number, down: number): PileLayout {
  const cards = pileAt(room.view, pile);
  const last = cards.length - 1;
  const shown = Math.min(WASTE_SHOWN, Math.max(1, cards.length));
  const points = cards.map((_, index) => {
    const beneathTop = Math.min(last - index, WASTE_SHOWN - 1);
    const above = shown - 1 - Math.min(beneathTop, shown - 1);
    return step < 0
      ? { x: Math.round(place.x + beneathTop * step), y: place.y }
      : { x: Math.round(place.x + above * step), y: Math.round(place.y + above * down) };
  });
  return { place, cards: points, reach: place, size: sizeOf(room, place.width) };
}

/** The width of `count` cards that fill `width` with the least space between them. */
function across(width: number, count: number): number {
  return width / (count + (count - 1) * TIGHT);
}

/** Where the nth of `count` columns begins; they stand in the middle, not too far apart. */
function spread(count: number, cardWidth: number, width: number, margin: number) {
  const free = (width - 2 * margin - count * cardWidth) / Math.max(1, count - 1);
  // Whole pixels, so that all columns are equally far apart.
  const step = Math.floor(cardWidth + clamp(free, 0, cardWidth * LOOSE));
  const left = Math.floor((width - cardWidth - (count - 1) * step) / 2);
  return (nth: number) => left + nth * step;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

function shared(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}
