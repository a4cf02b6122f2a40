/**
 * What pointers and keys mean: events in, a new state and actions out. Knows no page and no clock.
 *
 * A press that moves far enough is a drag; one that does not is a tap. A tap selects cards, or
 * moves the selected ones, or deals; a second tap on the same cards soon after sends them home.
 */

import { type View, pileAt } from "../../../src/rules/board.ts";
import type { Move } from "../../../src/rules/ruleset.ts";
import { ROW } from "../../../src/rules/ruleset.ts";
import type { Point } from "./layout.ts";

/** A card by pile and index from the bottom; an empty pile's place has the index 0. */
export interface Place {
  readonly pile: number;
  readonly index: number;
}

export interface Press {
  readonly pointer: number;
  readonly place: Place;
  /** Where the pointer went down. */
  readonly from: Point;
  /** How far it has come since, once it is a drag. */
  readonly by: Point | null;
}

export interface InputState {
  readonly press: Press | null;
  readonly selected: Place | null;
  /** The last tap that selected or unselected cards. */
  readonly tapped: { readonly place: Place; readonly time: number } | null;
}

export type InputEvent =
  | { type: "press"; pointer: number; at: Point; place: Place }
  | { type: "move"; pointer: number; at: Point }
  /** `over`: the piles that the dragged cards lie over, the best first. */
  | { type: "release"; pointer: number; over: readonly number[]; time: number }
  | { type: "cancel"; pointer: number }
  /** Enter on a focused card, or a screen reader's click. */
  | { type: "activate"; place: Place; time: number }
  | { type: "escape" }
  /** The view is another one than at the last event. */
  | { type: "changed" };

export type Action =
  | { type: "play"; move: Move }
  /** These cards were tapped, and no move begins with them. */
  | { type: "shake"; place: Place };

export interface Table {
  readonly view: View;
  /** The moves that are legal in it; none while the player may not move. */
  readonly moves: readonly Move[];
}

export interface Step {
  readonly state: InputState;
  readonly actions: readonly Action[];
}

export const AT_REST: InputState = { press: null, selected: null, tapped: null };

/** Pixels that a pointer travels before a press is a drag. */
const DRAG_DISTANCE = 6;
/** Milliseconds within which a second tap on the same cards sends them home. */
const DOUBLE_TAP = 400;

/** Take one event. */
export function step(state: InputState, event: InputEvent, table: Table): Step {
  switch (event.type) {
    case "press":
      // The first pointer counts; others are ignored until it is up.
      if (state.press !== null) return only(state);
      return only({
        ...state,
        press: { pointer: event.pointer, place: event.place, from: event.at, by: null },
      });
    case "move":
      return isPressedBy(state, event.pointer) ? only(moved(state, event.at, table)) : only(state);
    case "release": {
      const { press } = state;
      if (press === null || press.pointer !== event.pointer) return only(state);
      const released = { ...state, press: null };
      return press.by === null
        ? tap(released, press.place, event.time, table)
        : drop(released, press.place, event.over, table);
    }
    case "cancel":
      return only(isPressedBy(state, event.pointer) ? { ...state, press: null } : state);
    case "activate":
      return tap(state, event.place, event.time, table);
    case "escape":
      return only(AT_REST);
    case "changed":
      return only(stillValid(state, table));
  }
}

/** The moves that take exactly the cards from this place to the end of its pile. */
export function movesFrom({ view, moves }: Table, { pile, index }: Place): Move[] {
  const count = pileAt(view, pile).length - index;
  return moves.filter(
    (move) => move.source === pile && move.count === count && !isDealing(move, view),
  );
}

/** A move of the stock that is made by tapping it: onto the waste, or a row. */
function isDealing({ source, target }: Move, { ruleset }: View): boolean {
  return source === ruleset.stock && (target === ROW || target === ruleset.waste);
}

function only(state: InputState): Step {
  return { state, actions: [] };
}

function play(state: InputState, move: Move): Step {
  return { state: { ...state, selected: null, tapped: null }, actions: [{ type: "play", move }] };
}

function isPressedBy({ press }: InputState, pointer: number): boolean {
  return press?.pointer === pointer;
}

function isSame(a: Place, b: Place): boolean {
  return a.pile === b.pile && a.index === b.index;
}

function moved(state: InputState, at: Point, table: Table): InputState {
  const { press } = state;
  if (press === null) return state;
  const by = { x: at.x - press.from.x, y: at.y - press.from.y };
  const starts = press.by === null;
  if (starts && Math.hypot(by.x, by.y) < DRAG_DISTANCE) return state;
  if (starts && movesFrom(table, press.place).length === 0) return state;
  return { press: { ...press, by }, selected: null, tapped: null };
}

function drop(state: InputState, place: Place, over: readonly number[], table: Table): Step {
  const moves = movesFrom(table, place);
  for (const pile of over) {
    const move = moves.find(({ target }) => target === pile);
    if (move) return play(state, move);
  }
  return only(state);
}

function tap(state: InputState, place: Place, time: number, table: Table): Step {
  const { selected, tapped } = state;
  if (tapped && isSame(tapped.place, place) && time - tapped.time <= DOUBLE_TAP) {
    const home = movesFrom(table, place).find(({ target }) =>
      table.view.ruleset.foundations.includes(target),
    );
    if (home) return play(state, home);
  }
  if (selected) {
    const move = movesFrom(table, selected).find(({ target }) => target === place.pile);
    if (move) return play(state, move);
    if (isSame(selected, place)) {
      return only({ ...state, selected: null, tapped: { place, time } });
    }
  }
  const dealing = dealingMove(place.pile, table);
  if (dealing) return play(state, dealing);
  if (movesFrom(table, place).length > 0) {
    return only({ ...state, selected: place, tapped: { place, time } });
  }
  return { state: { ...state, selected: null, tapped: null }, actions: [{ type: "shake", place }] };
}

/** What tapping the stock does: it deals, or turns the waste over when it is empty. */
function dealingMove(pile: number, { view, moves }: Table): Move | undefined {
  const { stock } = view.ruleset;
  if (pile !== stock) return undefined;
  return moves.find((move) => isDealing(move, view) || move.target === stock);
}

/** Let go of what the new view no longer allows; the server's word may come at any time. */
function stillValid(state: InputState, table: Table): InputState {
  const movable = (place: Place) => movesFrom(table, place).length > 0;
  const dragged = state.press !== null && state.press.by !== null;
  return {
    press: dragged && state.press && !movable(state.press.place) ? null : state.press,
    selected: state.selected && movable(state.selected) ? state.selected : null,
    tapped: state.tapped && movable(state.tapped.place) ? state.tapped : null,
  };
}
