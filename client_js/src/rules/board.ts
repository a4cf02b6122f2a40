/** Boards, views and changes: the full truth, what may be seen of it, and what a move changed. */

import { type Pile, isDown, seen } from "./cards.ts";
import { EngineError } from "./errors.ts";
import type { Ruleset } from "./ruleset.ts";

/** Piles at one moment of a game. Nothing in it is ever changed; a move makes a new one. */
export interface Layout {
  readonly ruleset: Ruleset;
  /** The piles by number. */
  readonly piles: readonly Pile[];
  /** How often the waste has been turned over. */
  readonly redeals: number;
  /** How many moves led here. */
  readonly moves: number;
}

/** The full truth: every face is known, face-down cards have the bit `DOWN`. */
export type Board = Layout;

/** What one viewer may see: every face-down card is `UNSEEN`. */
export type View = Layout;

/** What happens to one pile: `take` cards leave its end, then `put` come onto it. */
export interface Change {
  readonly pile: number;
  readonly take: number;
  readonly put: Pile;
}

/** What a move changed, as a viewer may see it, and the counters after it. */
export interface Delta {
  readonly changes: readonly Change[];
  readonly redeals: number;
  readonly moves: number;
}

/** The pile of this number, which is one of the ruleset's. */
export function pileAt(layout: Layout, number: number): Pile {
  const pile = layout.piles[number];
  if (pile === undefined) throw new RangeError(`There is no pile ${number}.`);
  return pile;
}

/** The number of cards on foundations. */
export function cardsHome(layout: Layout): number {
  return layout.ruleset.foundations.reduce((sum, pile) => sum + pileAt(layout, pile).length, 0);
}

/** The number of cards that lie face down, which includes those of a stock already seen once. */
export function cardsFaceDown(layout: Layout): number {
  return layout.piles.reduce((sum, pile) => sum + pile.filter(isDown).length, 0);
}

/** What a player may see of a board. */
export function viewOf(board: Board): View {
  return { ...board, piles: board.piles.map(seen) };
}

/** The view after a delta; throws `bad_position` if the delta does not belong to it. */
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
