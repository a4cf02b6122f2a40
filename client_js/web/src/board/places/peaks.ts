/**
 * Overlapping peaks: the cards of a row lie side by side, each half a card aside of those it covers.
 *
 * In tall windows the peaks take the whole width, above stock and waste. In wide ones, stock and
 * waste are below them or beside them, whichever permits larger cards. The corners beside the top
 * of a single peak are free for a foundation.
 */

import type { Ruleset } from "../../../../src/rules/ruleset.ts";
import { aspectOf } from "../../cards/index.ts";
import { fittingSize } from "../../cards/corners.ts";
import type { BoardLayout, PileLayout, Point } from "./boxes.ts";
import {
  type Room,
  SIDE_STEP,
  UP_STEP,
  WASTE_SHOWN,
  WIDEST_CARD,
  boxAt,
  clamp,
  laidOut,
  sizeOf,
  spread,
  squared,
  wasteFan,
} from "./room.ts";
import { dock, raised } from "./tall.ts";
import { atEdge } from "./wide.ts";

/** The distance of the cards in a row, relative to the card width: the least and the most. */
const STEP = { least: 1.04, most: 1.14 };
/** The most visible height of a covered card, relative to its height. */
const MOST_UP = { tall: 0.7, wide: 0.56 };
/** The part of the free height above the peaks in tall windows, where the thumb is at the bottom. */
const LOW = 0.62;
/** The space between the peaks and other piles, relative to the card height. */
const SPACE = 0.14;
/** The least number of rows of a single peak beside whose top a foundation fits. */
const CORNERED = 5;

/** The peaks' rows, and how wide and high they are in card widths and heights. */
interface Shape {
  readonly rows: readonly number[];
  /** The number of cards of the widest row, the last. */
  readonly across: number;
  /** The foundation in the corner beside the top, if one fits there. */
  readonly cornered: number | null;
  /** The other foundations, cells and reserves. */
  readonly others: readonly number[];
}

function shapeOf({ ruleset, homes }: Room): Shape {
  const { cells, reserve, peaks } = ruleset;
  const rows = peaks ?? [];
  const others = [...cells, ...reserve, ...homes];
  const [only] = others;
  const fits = rows[0] === 1 && rows.length >= CORNERED && others.length === 1;
  const cornered = fits && only !== undefined ? only : null;
  return { rows, across: rows.at(-1) ?? 1, cornered, others: cornered === null ? others : [] };
}

export function tallPeaks(window: Room): BoardLayout {
  const { width, height, margin, hand } = window;
  const shape = shapeOf(window);
  const inner = width - 2 * margin;
  const room = { ...window, aspect: inner / shape.across < 60 ? aspectOf("tall") : window.aspect };
  const docked = dock(room, Math.min(width * 0.19, (height * 0.16) / room.aspect));
  const actions = raised(room, docked, height / 2);
  const bottom = Math.min(docked.top, actions.y) - 2 * margin;
  const piles: PileLayout[] = [...docked.piles];
  const inTop = Math.min(
    inner / Math.max(1, shape.others.length) - margin,
    width * 0.15,
    (height * 0.11) / room.aspect,
  );
  const top = layTop(room, shape.others, Math.floor(inTop), piles);
  const cardWidth = widthIn(room, shape, inner, bottom - top);
  layPeaks(
    room,
    shape,
    { x: margin, y: top, width: inner, height: bottom - top },
    cardWidth,
    piles,
  );
  if (shape.cornered !== null) {
    const x = hand === "left" ? margin : width - margin - cardWidth;
    piles[shape.cornered] = squared(room, shape.cornered, boxAt(room, x, top, cardWidth));
  }
  return laidOut(room, piles, actions);
}

/** Place piles in a row at the top, and return where the next ones can start. */
function layTop(
  room: Room,
  pilesThere: readonly number[],
  cardWidth: number,
  piles: PileLayout[],
): number {
  const { width, margin, aspect } = room;
  const at = spread(pilesThere.length, cardWidth, width, margin);
  pilesThere.forEach((pile, nth) => {
    piles[pile] = squared(room, pile, boxAt(room, at(nth), margin, cardWidth));
  });
  return pilesThere.length > 0 ? 3 * margin + cardWidth * aspect : margin;
}

export function widePeaks(window: Room): BoardLayout {
  const actions = atEdge(window);
  if (actions === null) return withoutActions(window);
  const edge = actions.width + window.margin;
  const found = withoutActions({ ...window, width: window.width - edge });
  const piles =
    window.hand === "left" ? found.piles.map((pile) => movedBy(pile, edge)) : found.piles;
  return { ...found, width: window.width, piles, actions };
}

/** Return a pile's layout so many pixels to the right. */
function movedBy({ place, cards, reach, size }: PileLayout, by: number): PileLayout {
  const moved = <At extends Point>(at: At) => ({ ...at, x: at.x + by });
  return { place: moved(place), cards: cards.map(moved), reach: moved(reach), size };
}

function withoutActions(room: Room): BoardLayout {
  const { width, height, margin, hasStock, open } = room;
  const shape = shapeOf(room);
  const inner = { width: width - 2 * margin, height: height - 2 * margin };
  // Piles beside the peaks, in columns: stock and waste, and the others.
  const beside = Number(hasStock || open !== null) + Number(shape.others.length > 0);
  const below = (cards: number) => inner.height - cards * room.aspect * (1 + SPACE);
  const aside = (cards: number) => inner.width - cards * beside * (1 + 2 * SPACE);
  const least = (cards: number) => cards * room.aspect * sideHeight(room, shape, cards);
  const under = widest((cards) => widthIn(room, shape, inner.width, below(cards)) >= cards);
  const side = widest(
    (cards) =>
      widthIn(room, shape, aside(cards), inner.height) >= cards && least(cards) <= inner.height,
  );
  return side > under ? besides(room, shape, side) : belows(room, shape, under);
}

/** Return the greatest width of a card in pixels that fits. */
function widest(fits: (cards: number) => boolean): number {
  let cards = WIDEST_CARD;
  while (cards > 1 && !fits(cards)) cards -= 1;
  return cards;
}

/** Return the height of the highest column beside the peaks, in card heights. */
function sideHeight(room: Room, { others }: Shape, cardWidth: number): number {
  const up = UP_STEP[sizeOf(room, cardWidth)];
  const fan = room.open === null ? 0 : 1 + SPACE + (WASTE_SHOWN - 1) * up;
  return Math.max(1 + fan, others.length * (1 + SPACE));
}

/** Place stock and waste in the middle below the peaks, and other piles next to them. */
function belows(room: Room, shape: Shape, cardWidth: number): BoardLayout {
  const { ruleset, width, height, margin, hand, hasStock, open, aspect } = room;
  const piles: PileLayout[] = [];
  const step = cardWidth * (1 + SPACE);
  const fanned = open === null ? 0 : cardWidth * SIDE_STEP[sizeOf(room, cardWidth)] * 2;
  const y = height - margin - cardWidth * aspect;
  const box = { x: margin, y: margin, width: width - 2 * margin };
  const room2 = y - cardWidth * aspect * SPACE - margin;
  layPeaks(room, shape, { ...box, height: room2 }, cardWidth, piles);
  const slots = shape.others.length + Number(hasStock) + Number(open !== null);
  let x = (width - slots * step + (step - cardWidth) - fanned) / 2;
  const next = () => (x += step) - step;
  const stock = () => {
    if (hasStock)
      piles[ruleset.stock] = squared(room, ruleset.stock, boxAt(room, next(), y, cardWidth));
  };
  const waste = () => {
    if (open === null) return;
    x += fanned;
    piles[open] = wasteFan(room, open, boxAt(room, next(), y, cardWidth), -fanned / 2, 0);
  };
  const rest = () =>
    shape.others.forEach((pile) => {
      piles[pile] = squared(room, pile, boxAt(room, next(), y, cardWidth));
    });
  // The stock is on the side of the hand.
  for (const lay of hand === "left" ? [stock, waste, rest] : [rest, waste, stock]) lay();
  corner(room, shape, cardWidth, piles);
  return laidOut(room, piles);
}

/** Place stock and waste in a column on the side of the hand, and other piles on the other side. */
function besides(room: Room, shape: Shape, cardWidth: number): BoardLayout {
  const { ruleset, width, height, margin, hand, hasStock, open, aspect } = room;
  const piles: PileLayout[] = [];
  const column = cardWidth * (1 + 2 * SPACE);
  const onHand = hasStock || open !== null ? column : 0;
  const away = shape.others.length > 0 ? column : 0;
  const left = hand === "left" ? onHand : away;
  const free = width - 2 * margin - onHand - away;
  const box = { x: margin + left, y: margin, width: free, height: height - 2 * margin };
  const peaks = layPeaks(room, shape, box, cardWidth, piles);
  // The columns follow the peaks rather than the edges of a wide window.
  const lefts = peaks.x - column;
  const rights = peaks.x + peaks.width + column - cardWidth;
  const [x, otherX] = hand === "left" ? [lefts, rights] : [rights, lefts];
  const cardHeight = cardWidth * aspect;
  const up = cardHeight * UP_STEP[sizeOf(room, cardWidth)];
  const high = cardHeight * sideHeight(room, { ...shape, others: [] }, cardWidth);
  const y = (height - high) / 2;
  if (hasStock) piles[ruleset.stock] = squared(room, ruleset.stock, boxAt(room, x, y, cardWidth));
  if (open !== null) {
    const place = boxAt(room, x, y + cardHeight * (1 + SPACE), cardWidth);
    piles[open] = wasteFan(room, open, place, 0, up);
  }
  shape.others.forEach((pile, nth) => {
    const at = margin + nth * cardHeight * (1 + SPACE);
    piles[pile] = squared(room, pile, boxAt(room, otherX, at, cardWidth));
  });
  corner(room, shape, cardWidth, piles);
  return laidOut(room, piles);
}

/** Place the foundation beside the top of a single peak, opposite the hand. */
function corner(room: Room, shape: Shape, cardWidth: number, piles: PileLayout[]): void {
  if (shape.cornered === null) return;
  const last = room.ruleset.tableau.slice(-shape.across);
  const [first, end] = [piles[last[0] ?? 0]?.place.x ?? 0, piles[last.at(-1) ?? 0]?.place.x ?? 0];
  const y = piles[room.ruleset.tableau[0] ?? 0]?.place.y ?? room.margin;
  const x = room.hand === "left" ? end : first;
  piles[shape.cornered] = squared(room, shape.cornered, boxAt(room, x, y, cardWidth));
}

/** Return the card width that makes the peaks fit a space, with rank and suit of each visible. */
function widthIn(room: Room, { rows, across }: Shape, width: number, height: number): number {
  let cards = Math.floor(Math.min(width / (1 + (across - 1) * STEP.least), WIDEST_CARD));
  const high = () => 1 + (rows.length - 1) * UP_STEP[sizeOf(room, cards)];
  while (cards > 1 && cards * room.aspect * high() > height) cards -= 1;
  return cards;
}

/** Place the cards of the peaks in the middle of a box, and return their bounds. */
function layPeaks(
  room: Room,
  { rows, across }: Shape,
  box: { x: number; y: number; width: number; height: number },
  cardWidth: number,
  piles: PileLayout[],
): { x: number; width: number } {
  const cardHeight = cardWidth * room.aspect;
  const aside = clamp(
    (box.width - cardWidth) / Math.max(1, across - 1),
    cardWidth,
    cardWidth * STEP.most,
  );
  // Half a step is a whole number of pixels, too.
  const step = Math.max(cardWidth, 2 * Math.floor(aside / 2));
  const most = room.height > room.width ? MOST_UP.tall : MOST_UP.wide;
  const between = Math.max(1, rows.length - 1);
  const up = Math.floor(clamp((box.height - cardHeight) / between, 0, cardHeight * most));
  const width = cardWidth + (across - 1) * step;
  const left = Math.round(box.x + (box.width - width) / 2);
  const free = box.height - cardHeight - between * up;
  const top = Math.round(box.y + free * (room.height > room.width ? LOW : 0.5));
  const size = fittingSize(sizeOf(room, cardWidth), up / cardWidth);
  const { tableau, coveredBy } = room.ruleset;
  const lefts = leftsOf(room.ruleset, left, step);
  let pile = tableau[0] ?? 0;
  rows.forEach((count, row) => {
    for (const end = pile + count; pile < end; pile++) {
      const place = boxAt(room, lefts[pile] ?? left, top + row * up, cardWidth);
      const covered = (coveredBy[pile] ?? []).length > 0;
      piles[pile] = { ...squared(room, pile, place), ...(covered && { size }) };
    }
  });
  return { x: left, width };
}

/** Return the left edge of each place: in the middle between the two that cover it. */
function leftsOf({ tableau, coveredBy }: Ruleset, left: number, step: number): number[] {
  const lefts: number[] = [];
  const last = tableau.filter((pile) => coveredBy[pile]?.length === 0);
  last.forEach((pile, nth) => (lefts[pile] = left + nth * step));
  for (const pile of tableau.toReversed()) {
    const [one, other] = coveredBy[pile] ?? [];
    if (one === undefined || other === undefined) continue;
    lefts[pile] = ((lefts[one] ?? left) + (lefts[other] ?? left)) / 2;
  }
  return lefts;
}
