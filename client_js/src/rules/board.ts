/** Boards, views and deltas: a complete position, its visible part, and the changes of a move. */

import { type Pile, isDown, seen } from "./cards.ts";
import { EngineError } from "./errors.ts";
import type { Ruleset } from "./ruleset.ts";

/** The piles at one moment of a game. Immutable: each move creates a new layout. */
export interface Layout {
  readonly ruleset: Ruleset;
  /** The piles by pile number, each from bottom to top. */
  readonly piles: readonly Pile[];
  /** How often the waste was turned over. */
  readonly redeals: number;
  readonly moves: number;
}

/** A complete position: all faces are known; face-down cards have the bit `DOWN` set. */
export type Board = Layout;

/** A player's view of a board: every face-down card is `UNSEEN`. */
export type View = Layout;

/** The change of one pile: remove `take` cards from its end, then append `put`. */
export interface Change {
  readonly pile: number;
  readonly take: number;
  readonly put: Pile;
}

/** A move's changes as visible to a player, with the counters after the move. */
export interface Delta {
  readonly changes: readonly Change[];
  readonly redeals: number;
  readonly moves: number;
}

/** Return the pile with a number; throw a `RangeError` if the ruleset has no such pile. */
export function pileAt(layout: Layout, number: number): Pile {
  const pile = layout.piles[number];
  if (pile === undefined) throw new RangeError(`There is no pile ${number}.`);
  return pile;
}

export function cardsHome(layout: Layout): number {
  return layout.ruleset.foundations.reduce((sum, pile) => sum + pileAt(layout, pile).length, 0);
}

/** Return the number of face-down cards, including a turned-over waste. */
export function cardsFaceDown(layout: Layout): number {
  return layout.piles.reduce((sum, pile) => sum + pile.filter(isDown).length, 0);
}

/** Return the number of cards never turned up. A stock that was the waste has been seen. */
export function cardsNeverSeen({ ruleset, piles, redeals }: Layout): number {
  const covered = [...ruleset.tableau, ...ruleset.reserve];
  if (redeals === 0) covered.push(ruleset.stock);
  return covered.reduce((sum, pile) => sum + (piles[pile] ?? []).filter(isDown).length, 0);
}

export function viewOf(board: Board): View {
  return { ...board, piles: board.piles.map(seen) };
}

/** Return the view after a delta; throw `bad_position` if the delta does not fit. */
export function applyDelta(view: View, delta: Delta): View {
  const piles = [...view.piles];
  for (const { pile, take, put } of delta.changes) {
    const cards = piles[pile];
    if (cards === undefined || take < 0 || take > cards.length) {
      throw new EngineError("bad_position", "This delta does not belong to this view.");
    }
    piles[pile] = [...cards.slice(0, cards.length - take), ...put];
  }
  return { ruleset: view.ruleset, piles, redeals: delta.redeals, moves: delta.moves };
}
