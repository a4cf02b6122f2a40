/**
 * The state machine of pointers and keys: events in, a new state and actions out. Does no I/O.
 *
 * A press that moves far enough is a drag; otherwise it is a tap. A tap plays the best move of the
 * cards. If the choice is the player's, or with `twoStep`, it selects the cards, and the next tap
 * selects their target.
 */

import { isDown } from "../../../src/rules/cards.ts";
import { pileAt } from "../../../src/rules/board.ts";
import { isCovered } from "../../../src/rules/moves.ts";
import { type Move, ROW } from "../../../src/rules/ruleset.ts";
import {
  type Place,
  type Table,
  bestMove,
  dealingMove,
  fillsLastCell,
  homeMove,
  isHome,
  movesFrom,
  tapsSelect,
} from "./choices.ts";
import type { Point } from "./places/boxes.ts";

export interface Press {
  readonly pointer: number;
  readonly place: Place;
  /** The pointer's position at the press. */
  readonly from: Point;
  /** Whether the pointer has moved too far for a tap. */
  readonly dragging: boolean;
}

export interface InputState {
  readonly press: Press | null;
  /** The cards selected by a tap or a key. */
  readonly selected: Place | null;
  /** The last tap that moved cards to a column or a cell, with its time in milliseconds. */
  readonly played: { readonly at: Point; readonly time: number; readonly target: number } | null;
}

export type InputEvent =
  | { type: "press"; pointer: number; at: Point; place: Place }
  | { type: "move"; pointer: number; at: Point }
  /**
   * `over`: the piles overlapped by the dragged cards, most overlapped first; `inside`: whether the
   * pointer is still on the pressed element.
   */
  | {
      type: "release";
      pointer: number;
      at: Point;
      over: readonly number[];
      inside: boolean;
      time: number;
    }
  | { type: "cancel"; pointer: number }
  /** Enter on a focused card, or a screen reader's click. */
  | { type: "activate"; place: Place }
  /** The key that selects cards, and then their target. */
  | { type: "select"; place: Place }
  /** A right click, or the key for sending a card home. */
  | { type: "home"; place: Place }
  | { type: "escape" }
  | { type: "changed" };

export type Action =
  | { type: "play"; move: Move }
  /** These cards have no move. */
  | { type: "shake"; place: Place }
  /** A second tap on these cards moves them to the target, the last empty cell. */
  | { type: "ask"; place: Place; target: number }
  /** These cards were dropped on a pile that does not take them, or a row cannot be dealt. */
  | { type: "refuse"; place: Place; target: number };

export interface Step {
  readonly state: InputState;
  readonly actions: readonly Action[];
}

export const AT_REST: InputState = { press: null, selected: null, played: null };

/** The pointer distance, in pixels, that turns a press into a drag. */
const DRAG_DISTANCE = 7;
/** The second tap of a double tap must not act on the newly uncovered card. */
const DOUBLE_TAP = { milliseconds: 260, pixels: 24 };

/** Handle one event. `twoStep`: whether taps only select, first the cards, then the target. */
export function step(state: InputState, event: InputEvent, table: Table, twoStep: boolean): Step {
  switch (event.type) {
    case "press":
      // Only the first pointer counts; others are ignored until it is up.
      if (state.press !== null) return only(state);
      return only({
        ...state,
        press: { pointer: event.pointer, place: event.place, from: event.at, dragging: false },
      });
    case "move":
      return only(isPressedBy(state, event.pointer) ? moved(state, event.at) : state);
    case "release":
      return isPressedBy(state, event.pointer)
        ? released(state, event, table, twoStep)
        : only(state);
    case "cancel":
      return only(isPressedBy(state, event.pointer) ? { ...state, press: null } : state);
    case "activate":
      return tap(state, event.place, table, twoStep);
    case "select":
      return pickUp(state, event.place, table);
    case "home": {
      const home = homeMove(table, event.place);
      if (home) return play(state, home);
      const choose = table.view.ruleset.pairs && movesFrom(table, event.place).length > 0;
      return choose ? only({ ...state, selected: event.place }) : shake(state, event.place);
    }
    case "escape":
      return only(state === AT_REST ? state : AT_REST);
    case "changed":
      return only(revalidated(state, table));
  }
}

/** Whether these cards can be dragged: free, face up and, from stock or foundation, with a move. */
export function canLift({ view, moves }: Table, place: Place): boolean {
  const { pile, index } = place;
  const card = pileAt(view, pile)[index];
  if (card === undefined || isDown(card) || isCovered(view, pile)) return false;
  const stays = pile === view.ruleset.stock || isHome(view, place);
  return !stays || moves.some(({ source }) => source === pile);
}

function only(state: InputState): Step {
  return { state, actions: [] };
}

function play(state: InputState, move: Move): Step {
  return { state: { ...state, selected: null }, actions: [{ type: "play", move }] };
}

function shake(state: InputState, place: Place): Step {
  return { state: { ...state, selected: null }, actions: [{ type: "shake", place }] };
}

function isPressedBy({ press }: InputState, pointer: number): boolean {
  return press?.pointer === pointer;
}

function isSame(a: Place, b: Place): boolean {
  return a.pile === b.pile && a.index === b.index;
}

function moved(state: InputState, at: Point): InputState {
  const { press } = state;
  if (press === null || press.dragging) return state;
  if (!isFar(press.from, at)) return state;
  return { ...state, press: { ...press, dragging: true }, selected: null };
}

function isFar(from: Point, to: Point): boolean {
  return Math.hypot(to.x - from.x, to.y - from.y) >= DRAG_DISTANCE;
}

type Release = InputEvent & { type: "release" };

function released(state: InputState, event: Release, table: Table, twoStep: boolean): Step {
  const { press, played } = state;
  if (press === null) return only(state);
  const next = { ...state, press: null, played: null };
  if (press.dragging && canLift(table, press.place))
    return drop(next, press.place, event.over, table);
  // Sliding off the pressed element cancels the tap; the board moving beneath it does not.
  if (!event.inside && isFar(press.from, event.at)) return only(next);
  if (
    played &&
    event.time - played.time <= DOUBLE_TAP.milliseconds &&
    isNear(played.at, press.from)
  ) {
    // The second tap sends home the card that the first one has just moved.
    const top = { pile: played.target, index: pileAt(table.view, played.target).length - 1 };
    const home = homeMove(table, top);
    return home ? play(next, home) : only(next);
  }
  const { state: after, actions } = tap(next, press.place, table, twoStep);
  const [action] = actions;
  if (action?.type !== "play" || !isBetweenPiles(action.move, table))
    return { state: after, actions };
  const { target } = action.move;
  return { state: { ...after, played: { at: press.from, time: event.time, target } }, actions };
}

function isNear(a: Point, b: Point): boolean {
  return Math.hypot(a.x - b.x, a.y - b.y) <= DOUBLE_TAP.pixels;
}

/** Whether a move can start a double tap: not from the stock, nor to a foundation. */
function isBetweenPiles({ source, target }: Move, { view }: Table): boolean {
  const { stock, tableau, cells } = view.ruleset;
  return source !== stock && (tableau.includes(target) || cells.includes(target));
}

function drop(state: InputState, place: Place, over: readonly number[], table: Table): Step {
  const moves = movesFrom(table, place);
  for (const pile of over) {
    const move = moves.find(({ target }) => target === pile);
    if (move) return play(state, move);
  }
  // Cards put back on their own pile need no explanation.
  const [target] = over.filter((pile) => pile !== place.pile);
  if (target === undefined) return only(state);
  return { state, actions: [{ type: "refuse", place, target }] };
}

function tap(state: InputState, place: Place, table: Table, twoStep: boolean): Step {
  const { selected } = state;
  const onto = selected && movesFrom(table, selected).find(({ target }) => target === place.pile);
  if (onto) return play(state, onto);
  const best = twoStep ? undefined : bestMove(table, place);
  const asks = best !== undefined && fillsLastCell(table, best);
  if (selected && isSame(selected, place))
    return asks ? play(state, best) : only({ ...state, selected: null });
  const dealing = place.pile === table.view.ruleset.stock ? dealingMove(table) : undefined;
  if (dealing) return play(state, dealing);
  if (asks)
    return {
      state: { ...state, selected: place },
      actions: [{ type: "ask", place, target: best.target }],
    };
  if (best) return play(state, best);
  if (rowWaits(table, place)) {
    return {
      state: { ...state, selected: null },
      actions: [{ type: "refuse", place, target: ROW }],
    };
  }
  if (movesFrom(table, place).length === 0) return shake(state, place);
  const { ruleset } = table.view;
  const selects = tapsSelect(ruleset, twoStep) || ruleset.pairs || isHome(table.view, place);
  return selects ? only({ ...state, selected: place }) : shake(state, place);
}

/** Whether this is a stock whose row the rules do not permit now. */
function rowWaits({ view, moves }: Table, { pile }: Place): boolean {
  const { stock, rules } = view.ruleset;
  const deals = pile === stock && rules.stock.plays.includes("row");
  return deals && pileAt(view, stock).length > 0 && !moves.some(({ target }) => target === ROW);
}

function pickUp(state: InputState, place: Place, table: Table): Step {
  const { selected } = state;
  if (selected === null || isSame(selected, place)) {
    if (selected) return only({ ...state, selected: null });
    if (movesFrom(table, place).length > 0) return only({ ...state, selected: place });
    return shake(state, place);
  }
  const onto = movesFrom(table, selected).find(({ target }) => target === place.pile);
  if (onto) return play(state, onto);
  return { state, actions: [{ type: "refuse", place: selected, target: place.pile }] };
}

/** Drop a drag or selection that the new view no longer permits. */
function revalidated(state: InputState, table: Table): InputState {
  const { press, selected } = state;
  const held = press?.dragging === true && !canLift(table, press.place);
  const lost = selected !== null && movesFrom(table, selected).length === 0;
  if (!held && !lost) return state;
  return { ...state, press: held ? null : press, selected: lost ? null : selected };
}
