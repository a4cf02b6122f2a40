/**
 * The parts shared by all board arrangements: the space, steps between cards, and piles of all
 * kinds.
 */

import { type View, pileAt } from "../../../../src/rules/board.ts";
import { UNSEEN, isDown } from "../../../../src/rules/cards.ts";
import type { Ruleset } from "../../../../src/rules/ruleset.ts";
import type { Hand } from "../../app/settings.svelte.ts";
import { fittingSize } from "../../cards/corners.ts";
import { type Usual, aspectOf, sizeFor } from "../../cards/index.ts";
import type { BoardLayout, Box, PileLayout } from "./boxes.ts";

export const WIDEST_CARD = 360;
/** The least and the most space between columns, relative to the card width. */
const TIGHT = 0.06;
export const LOOSE = 0.32;
const DOWN_STEP = 0.14;
const MIN_DOWN_STEP = 0.025;
/** The least visible pixels of a covered card, and of a top card that the board's edge cuts. */
export const LEAST_STRIP = 8;
const LEAST_TOP = 24;
/** A computed step counts as the next whole pixel if it is this close. */
const ROUNDING = 1e-6;
/** The visible part of a covered card, relative to its height: rank and suit, with space. */
export const UP_STEP = { tall: 0.34, small: 0.37, medium: 0.28, large: 0.24 } as const;
/** The same relative to the card width, in a sideways fan. */
export const SIDE_STEP = { tall: 0.54, small: 0.54, medium: 0.3, large: 0.28 } as const;
/** The number of visible cards at the end of the waste. */
export const WASTE_SHOWN = 3;

export interface Room {
  readonly view: View;
  readonly ruleset: Ruleset;
  readonly width: number;
  readonly height: number;
  readonly hand: Hand;
  /** The free space along the edges. */
  readonly margin: number;
  /** The ratio of card height to width. */
  readonly aspect: number;
  /** The height that the actions need, in pixels; null without a player. */
  readonly tools: number | null;
  /** Whether there is a stock; otherwise its pile has no place. */
  readonly hasStock: boolean;
  /** The fanned pile next to the stock, fed by the stock. */
  readonly open: number | null;
  /** The other foundations. */
  readonly homes: readonly number[];
}

export function roomOf(
  view: View,
  width: number,
  height: number,
  hand: Hand,
  tools: number | null,
): Room {
  const { ruleset } = view;
  const margin = clamp(width * 0.015, 4, 24);
  const hasStock = ruleset.rules.stock.plays.length > 0;
  const open = ruleset.waste ?? fed(ruleset);
  const homes = ruleset.foundations.filter((pile) => pile !== open);
  const aspect = aspectOf("large");
  const space = { width, height, hand, margin, aspect };
  return { view, ruleset, ...space, tools, hasStock, open, homes };
}

/** The only foundation, if fed by the stock: it plays the role of the waste in other games. */
function fed({ foundations, tableau, rules }: Ruleset): number | null {
  const [only, ...others] = foundations;
  const fits = tableau.length > 0 && others.length === 0;
  return fits && only !== undefined && rules.stock.plays.includes("foundation") ? only : null;
}

/** Return the layout of these piles. An absent stock has no size; cards fly from its position. */
export function laidOut(room: Room, piles: PileLayout[], actions: Box | null = null): BoardLayout {
  const { ruleset, width, height, margin, aspect, hasStock } = room;
  // `flatMap` skips the hole of an absent stock.
  const cardWidth = Math.max(...piles.flatMap(({ place }) => place.width));
  if (!hasStock) {
    const nowhere = { x: Math.round(width / 2), y: height - margin, width: 0, height: 0 };
    const size = sizeOf(room, cardWidth);
    piles[ruleset.stock] = { place: nowhere, cards: [], reach: nowhere, size };
  }
  return { width, height, cardWidth, aspect, piles, actions };
}

/** Return the box of a card, on whole pixels for crisp rendering. */
export function boxAt({ aspect }: Room, x: number, y: number, cardWidth: number): Box {
  return { x: Math.round(x), y: Math.round(y), width: cardWidth, height: cardWidth * aspect };
}

export function sizeOf({ aspect }: Room, cardWidth: number): Usual {
  return aspect === aspectOf("tall") ? "tall" : sizeFor(cardWidth);
}

/** Return a squared pile, whose cards lie exactly on top of each other. */
export function squared(room: Room, pile: number, place: Box): PileLayout {
  const at = { x: place.x, y: place.y };
  const cards = pileAt(room.view, pile).map(() => at);
  return { place, cards, reach: place, size: sizeOf(room, place.width) };
}

/**
 * Return a column that must end above `bottom`; `up`: the visible pixels of a covered card. A long
 * fan is compressed, and if rank and suit would be covered, its cards have smaller corners. If they
 * could not be read and the board's edge is at `edge`, it rather cuts the top card.
 */
export function column(
  room: Room,
  pile: number,
  place: Box,
  bottom: number,
  up: number,
  edge = bottom,
): PileLayout {
  const cards = pileAt(room.view, pile);
  const beneath = cards.slice(0, -1);
  const downs = beneath.filter(isDown).length;
  const ups = beneath.length - downs;
  const steps = stepsOf(downs, ups, place.height, bottom - place.y - place.height, up);
  const most = (edge - LEAST_TOP - place.y - downs * steps.down) / Math.max(1, ups);
  const least = edge > bottom ? Math.min(LEAST_STRIP, up, most) : 0;
  const shown = Math.max(steps.up, least);
  let y = place.y;
  const points = cards.map((_, nth) => {
    if (nth > 0) y += isDown(cards[nth - 1] ?? UNSEEN) ? steps.down : shown;
    return { x: place.x, y: Math.round(y) };
  });
  const reach = { ...place, height: Math.max(place.height, bottom - place.y) };
  // Rounding may take a pixel of a strip.
  const strip = Math.floor(shown + ROUNDING) / place.width;
  return { place, cards: points, reach, size: fittingSize(sizeOf(room, place.width), strip) };
}

/** Return the visible pixels of covered cards that are face down and up, in a space of `room`. */
function stepsOf(downs: number, ups: number, height: number, room: number, up: number) {
  // Backs all look alike, so they are compressed before faces.
  const left = Math.max(0, room) - ups * up;
  const down = clamp(left / Math.max(1, downs), height * MIN_DOWN_STEP, height * DOWN_STEP);
  const rest = Math.max(0, room) - downs * down;
  if (rest < 0) return { down: Math.max(0, room) / downs, up: 0 };
  return { down, up: Math.min(up, rest / Math.max(1, ups)) };
}

/**
 * Return a pile whose last cards are fanned sideways: to the left of the top one at `place` if
 * `step` < 0, otherwise to the right of the lowest one at `place`.
 */
export function wasteFan(
  room: Room,
  pile: number,
  place: Box,
  step: number,
  down: number,
): PileLayout {
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

/** Return the width of `count` cards that fill `width` with the least space between them. */
export function across(width: number, count: number): number {
  return width / (count + (count - 1) * TIGHT);
}

/** Return the position of the nth of `count` columns, centred with limited gaps. */
export function spread(count: number, cardWidth: number, width: number, margin: number) {
  const free = (width - 2 * margin - count * cardWidth) / Math.max(1, count - 1);
  // Whole pixels keep all gaps equal.
  const step = Math.floor(cardWidth + clamp(free, 0, cardWidth * LOOSE));
  const left = Math.floor((width - cardWidth - (count - 1) * step) / 2);
  return (nth: number) => left + nth * step;
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
