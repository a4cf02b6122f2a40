/** Wide windows: laptops, and phones in landscape orientation. */

import type { BoardLayout, Box, PileLayout } from "./boxes.ts";
import {
  type Room,
  SIDE_STEP,
  UP_STEP,
  WIDEST_CARD,
  across,
  boxAt,
  column,
  laidOut,
  sizeOf,
  spread,
  squared,
  wasteFan,
} from "./room.ts";

/** The space between rows, relative to the card height. */
const ROW_SPACE = 0.14;
/** The height of columns before their fans are compressed, relative to the card height. */
const TABLEAU_HEIGHT = 2.9;
/**
 * The width of phones in landscape orientation, a proxy for little height. The board's height would
 * be circular: it depends on the actions' place, which depends on this.
 */
const PHONE = 960;
/** The width of the actions at the board's edge, in pixels. */
const ACTIONS = 104;
/** The number of piles stacked vertically next to the columns. */
const ASIDE = 4;
/** The least space that separates them, relative to the card height. */
const ASIDE_SPACE = 0.06;

export function wide(room: Room): BoardLayout {
  return isFlanked(room) ? flanked(room) : gridded(room);
}

/** Whether columns get the whole height: there is little, or only foundations are above. */
function isFlanked({ ruleset, width, homes, tools, hasStock }: Room): boolean {
  const { ordersTableau, cells, automatic } = ruleset;
  const alone = !hasStock && cells.length === 0;
  // Foundations filled automatically may be as far away as two columns of them.
  const fits = homes.length <= ASIDE || automatic;
  return ordersTableau && fits && ((width < PHONE && tools !== null) || alone);
}

/** Return the box of the actions at the hand's edge, which leaves the height to the cards. */
export function atEdge({ width, height, margin, hand, tools }: Room): Box | null {
  if (width >= PHONE || tools === null) return null;
  const x = hand === "left" ? margin : width - margin - ACTIONS;
  return { x, y: margin, width: ACTIONS, height: height - 2 * margin };
}

/** Place columns between foundations and sources. */
function flanked(room: Room): BoardLayout {
  const { ruleset, width, height, margin, hand, aspect, hasStock, open, homes } = room;
  const { cells, reserve, tableau, stock } = ruleset;
  const actions = atEdge(room);
  const edge = actions === null ? 0 : actions.width + margin;
  const beside = Math.ceil(cells.length / ASIDE) + Number(hasStock);
  const middle = reserve.length + tableau.length;
  const homeColumns = Math.ceil(homes.length / ASIDE);
  const total = beside + middle + homeColumns;
  const inner = width - 2 * margin - edge;
  const high = (height - 2 * margin) / (ASIDE + (ASIDE - 1) * ASIDE_SPACE);
  const cardWidth = Math.floor(Math.min(across(inner, total), high / aspect, WIDEST_CARD));
  const cardHeight = cardWidth * aspect;
  const inInner = spread(total, cardWidth, width - edge, margin);
  const gridAt = (nth: number) => inInner(nth) + (hand === "left" ? edge : 0);
  const up = cardHeight * UP_STEP[sizeOf(room, cardWidth)];
  // The stock is on the side of the hand; cells are always on the left.
  const mirrored = hasStock && hand === "right";
  const piles: PileLayout[] = [];
  /** Place the nth of some piles, `ASIDE` to a grid column, starting at column `from`. */
  const lay = (pile: number, from: number, nth: number) => {
    const y = margin + (nth % ASIDE) * cardHeight * (1 + ASIDE_SPACE);
    const x = gridAt(from + Math.floor(nth / ASIDE));
    piles[pile] = squared(room, pile, boxAt(room, x, y, cardWidth));
  };
  homes.forEach((pile, nth) => lay(pile, mirrored ? 0 : beside + middle, nth));
  const first = mirrored ? homeColumns : beside;
  [...reserve, ...tableau].forEach((pile, nth) => {
    const place = boxAt(room, gridAt(first + nth), margin, cardWidth);
    piles[pile] = column(room, pile, place, height - margin, up, height);
  });
  const firstCell = mirrored ? homeColumns + middle : Number(hasStock);
  cells.forEach((pile, nth) => lay(pile, firstCell, nth));
  if (hasStock) lay(stock, mirrored ? total - 1 : 0, 0);
  if (open !== null) {
    const y = margin + cardHeight * (1 + ROW_SPACE);
    const place = boxAt(room, gridAt(mirrored ? total - 1 : 0), y, cardWidth);
    piles[open] = wasteFan(room, open, place, 0, up);
  }
  return laidOut(room, piles, actions);
}

function gridded(room: Room): BoardLayout {
  const { ruleset, width, height, margin, hand, aspect, hasStock, open, homes } = room;
  const { cells, reserve, tableau, stock } = ruleset;
  const columns = reserve.length + tableau.length;
  // In the first row the waste takes the width of two cards.
  const before = Number(hasStock) + (open === null ? 0 : 2) + cells.length;
  const inFirst = before + homes.length;
  const inRow = inFirst <= columns || cells.length + reserve.length > 0 || columns === 0;
  const total = inRow ? Math.max(columns, inFirst) : Math.max(columns + 1, homes.length);
  const actions = atEdge(room);
  const edge = actions === null ? 0 : actions.width + margin;
  const inner = width - 2 * margin - edge;
  const rows = 1 + ROW_SPACE + (columns === 0 ? 0 : TABLEAU_HEIGHT);
  const byHeight = (height - 2 * margin) / rows / aspect;
  const cardWidth = Math.floor(Math.min(across(inner, total), byHeight, WIDEST_CARD));
  const cardHeight = cardWidth * aspect;
  const inInner = spread(total, cardWidth, width - edge, margin);
  const gridAt = (nth: number) => inInner(nth) + (hand === "left" ? edge : 0);
  // The column of stock and waste is on the side of the hand, before or after all others.
  const shift = !inRow && hand === "left" ? 1 : 0;
  const at = (nth: number) => gridAt(nth + shift);
  const tableauTop = margin + cardHeight * (1 + ROW_SPACE);
  const up = cardHeight * UP_STEP[sizeOf(room, cardWidth)];
  const piles: PileLayout[] = [];
  const besideHomes = (inRow ? total : columns) - homes.length;
  const firstHome = inRow ? besideHomes : Math.max(0, Math.floor(besideHomes / 2));
  homes.forEach((pile, nth) => {
    // With more foundations than columns, one is above the stock.
    const x = !inRow && homes.length > columns ? gridAt(nth) : at(firstHome + nth);
    piles[pile] = squared(room, pile, boxAt(room, x, margin, cardWidth));
  });
  // A reserve keeps to the left, with the columns below the foundations.
  const free = inRow ? total - columns : 0;
  const firstColumn = reserve.length > 0 ? free : Math.floor(free / 2);
  [...reserve, ...tableau].forEach((pile, nth) => {
    const x = at(nth < reserve.length ? nth : firstColumn + nth);
    const place = boxAt(room, x, tableauTop, cardWidth);
    piles[pile] = column(room, pile, place, height - margin, up, height);
  });
  // With no foundation to the right of them, stock and waste are in the middle.
  const first = inRow && homes.length === 0 ? Math.floor((total - before) / 2) : 0;
  const firstCell = first + before - cells.length;
  cells.forEach((pile, nth) => {
    piles[pile] = squared(room, pile, boxAt(room, gridAt(firstCell + nth), margin, cardWidth));
  });
  const aside = inRow ? gridAt(first) : gridAt(hand === "left" ? 0 : total - 1);
  const stockTop = !inRow && homes.length > columns ? tableauTop : margin;
  if (hasStock) piles[stock] = squared(room, stock, boxAt(room, aside, stockTop, cardWidth));
  if (open !== null) {
    const step = inRow ? cardWidth * SIDE_STEP[sizeOf(room, cardWidth)] : 0;
    const place = inRow
      ? boxAt(room, gridAt(first + 1), margin, cardWidth)
      : boxAt(room, aside, stockTop + cardHeight * (1 + ROW_SPACE), cardWidth);
    piles[open] = wasteFan(room, open, place, step, inRow ? 0 : up);
  }
  return laidOut(room, piles, actions);
}
