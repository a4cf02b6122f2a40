/** Tall windows, such as upright phones. */

import type { Ruleset } from "../../../../src/rules/ruleset.ts";
import { aspectOf, sizeFor } from "../../cards/index.ts";
import type { BoardLayout, Box, PileLayout } from "./boxes.ts";
import {
  LEAST_STRIP,
  type Room,
  SIDE_STEP,
  WASTE_SHOWN,
  across,
  boxAt,
  column,
  laidOut,
  sizeOf,
  spread,
  squared,
  wasteFan,
} from "./room.ts";

/** The visible part of a covered card, relative to its height: fingers need it. */
const UP_STEP = { tall: 0.49, small: 0.52, medium: 0.38, large: 0.32 } as const;
/** The most columns (with a reserve), and the most cells and foundations, in a single row. */
const MOST_IN_ROW = 12;
/** The number per row if there are more. */
const IN_ROW = 10;
/** The ratio of height to width from which narrow columns leave height to spare. */
const SPARE = 1.45;
/** The number of covered cards in a long column of two rows. */
const LONG = 11;
/** The least card width to make room for long columns, in pixels. */
const NARROWEST = 33;
/** The height of the actions, in pixels, with nothing next to them. */
const ACTIONS = 52;
/** The width of two actions side by side, in pixels, with their words. */
const TWO_ACTIONS = 150;

/**
 * Place small foundations at the top, with cells to their left; one or two rows of columns, to the
 * right of a reserve; and stock and waste at the bottom.
 */
export function tall(window: Room): BoardLayout {
  const { ruleset, width, height, margin, homes } = window;
  const { cells, reserve, tableau } = ruleset;
  const inner = width - 2 * margin;
  const columns = reserve.length + tableau.length;
  // With this many columns, a reserve has no separate place and precedes the columns in their rows.
  const crowded = columns > MOST_IN_ROW;
  const rows = crowded ? Math.ceil(columns / IN_ROW) : tableauRows(ruleset);
  const perRow = Math.max(
    1,
    crowded ? Math.ceil(columns / rows) : reserve.length + Math.ceil(tableau.length / rows),
  );
  const narrow = sizeFor(across(inner, perRow)) === "small" && height > width * SPARE;
  const aspect = narrow ? aspectOf("tall") : window.aspect;
  const room = { ...window, aspect };
  const docked = dock(room, Math.min(width * 0.19, (height * 0.16) / aspect));
  const inTop = cells.length + homes.length;
  const topRows = inTop > MOST_IN_ROW ? Math.ceil(inTop / IN_ROW) : Math.min(1, inTop);
  const inTopRow = Math.ceil(inTop / Math.max(1, topRows));
  const homeWidth = Math.floor(
    Math.min(
      across(inner, Math.max(1, inTopRow)),
      across(inner, perRow),
      height * (topRows > 1 ? 0.16 / topRows : 0.11),
    ),
  );
  const topStep = homeWidth * aspect + margin;
  const top = margin + (inTop > 0 ? topRows * topStep + margin * 1.5 : 0);
  const usual = (docked.top - margin - top) / rows;
  // In several rows, cards are smaller rather than their corners covered.
  const lowest = Math.min(docked.top, raised(room, docked, top).y);
  // Rounding takes a pixel.
  const left = (lowest - margin - top) / rows - margin - LONG * LEAST_STRIP - 1;
  const most = rows === 1 || crowded ? usual : Math.max(left, NARROWEST * aspect);
  const cardWidth = Math.floor(
    Math.min(across(inner, perRow), usual / aspect / 1.8, most / aspect),
  );
  // A strip of a covered card stays visible in each row, however high the actions are.
  const actions = raised(room, docked, top + rows * cardWidth * aspect * 1.3 + margin);
  const bottom = Math.min(docked.top, actions.y) - margin;
  const rowHeight = (bottom - top) / rows;
  const columnAt = spread(perRow, cardWidth, width, margin);
  const piles: PileLayout[] = [...docked.piles];
  // With cells or a reserve on the left, the foundations stay on the right, above the columns.
  const onGrid = !crowded && inTop <= perRow && cells.length + reserve.length > 0;
  const topAt = onGrid ? columnAt : spread(inTopRow, homeWidth, width, margin);
  const inset = onGrid ? (cardWidth - homeWidth) / 2 : 0;
  const firstHome = (onGrid ? perRow : inTop) - homes.length;
  const onTop = (pile: number, nth: number) => {
    const x = topAt(onGrid ? nth : nth % inTopRow) + inset;
    const y = margin + (onGrid ? 0 : Math.floor(nth / inTopRow)) * topStep;
    piles[pile] = squared(room, pile, boxAt(room, x, y, homeWidth));
  };
  cells.forEach(onTop);
  homes.forEach((pile, nth) => onTop(pile, firstHome + nth));
  const up = cardWidth * aspect * UP_STEP[sizeOf(room, cardWidth)];
  if (crowded) {
    [...reserve, ...tableau].forEach((pile, nth) => {
      const y = top + Math.floor(nth / perRow) * rowHeight;
      const place = boxAt(room, columnAt(nth % perRow), y, cardWidth);
      piles[pile] = column(room, pile, place, y + rowHeight - margin, up);
    });
    return laidOut(room, piles, actions);
  }
  // A reserve may start at the very top if nothing lies above it.
  const reserveTop = onGrid && inTop + reserve.length <= perRow && !cells.length ? margin : top;
  reserve.forEach((pile, nth) => {
    const place = boxAt(room, columnAt(nth), reserveTop, cardWidth);
    piles[pile] = column(room, pile, place, bottom - margin, up);
  });
  tableau.forEach((pile, nth) => {
    const inRow = perRow - reserve.length;
    const y = top + Math.floor(nth / inRow) * rowHeight;
    const place = boxAt(room, columnAt(reserve.length + (nth % inRow)), y, cardWidth);
    piles[pile] = column(room, pile, place, y + rowHeight - margin, up);
  });
  return laidOut(room, piles, actions);
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

/** Place stock and waste along the bottom on the side of the hand, with cards of this width. */
export function dock(room: Room, wanted: number): Dock {
  const { ruleset, width, height, margin, hand, aspect, tools, hasStock, open } = room;
  if (!hasStock) {
    const high = tools === null ? 0 : ACTIONS;
    const top = height - margin - high;
    const actions = { x: margin, y: top, width: width - 2 * margin, height: high };
    return { top, piles: [], actions };
  }
  const gaps = 0.12;
  const fan = (cards: number) => 1 + gaps + SIDE_STEP[sizeOf(room, cards)] * (WASTE_SHOWN - 1);
  // Stock and waste leave room for two columns of actions.
  const used = 1 + gaps + (open === null ? 0 : fan(wanted));
  const most = tools === null ? wanted : (width - 2 * margin - TWO_ACTIONS) / used;
  const cardWidth = Math.floor(Math.min(wanted, most));
  const top = height - margin - cardWidth * aspect;
  const gap = cardWidth * gaps;
  const step = cardWidth * SIDE_STEP[sizeOf(room, cardWidth)];
  const fanned = open === null ? 0 : cardWidth * fan(cardWidth);
  const right = hand === "right";
  const stockX = right ? width - margin - cardWidth : margin;
  const piles: PileLayout[] = [];
  piles[ruleset.stock] = squared(room, ruleset.stock, boxAt(room, stockX, top, cardWidth));
  if (open !== null) {
    // The top card stays in place, and those beneath are fanned to its left.
    const x = right ? stockX - gap - cardWidth : stockX + fanned;
    piles[open] = wasteFan(room, open, boxAt(room, x, top, cardWidth), -step, 0);
  }
  const free = width - 2 * margin - (cardWidth + fanned + gap);
  const actions = { x: right ? margin : width - margin - free, y: top, width: free };
  return { top, piles, actions: { ...actions, height: cardWidth * aspect } };
}

/** Return the box of the actions, as high as they need, but starting below `top`. */
export function raised({ tools }: Room, { actions }: Dock, top: number): Box {
  const bottom = actions.y + actions.height;
  const height = Math.max(actions.height, Math.min(tools ?? 0, bottom - top));
  return { ...actions, y: bottom - height, height };
}
