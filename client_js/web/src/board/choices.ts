/** The move meant by a tap. */

import { type Layout, type View, pileAt } from "../../../src/rules/board.ts";
import { isPair, runLength } from "../../../src/rules/moves.ts";
import { type Move, ROW, type Ruleset } from "../../../src/rules/ruleset.ts";

/** A card by pile and index from the bottom; an empty pile's place has index 0. */
export interface Place {
  readonly pile: number;
  readonly index: number;
}

export interface Table {
  readonly view: View;
  /** The legal moves; empty while the player cannot move. */
  readonly moves: readonly Move[];
  /** Whether no move can be undone, so that a tap asks before it fills the last cell. */
  readonly final?: boolean;
  /** The move that a hint shows. */
  readonly hint?: Move | null;
}

/** Return the moves of exactly the cards from this place to the end of its pile. */
export function movesFrom({ view, moves }: Table, { pile, index }: Place): Move[] {
  const count = pileAt(view, pile).length - index;
  return moves.filter(
    (move) => move.source === pile && move.count === count && !isDealing(move, view),
  );
}

/** Whether a move deals from the stock, onto the waste or as a row. */
function isDealing({ source, target }: Move, { ruleset }: Layout): boolean {
  return source === ruleset.stock && (target === ROW || target === ruleset.waste);
}

/** Return the move for a press on the stock: deal, or turn the waste over if the stock is empty. */
export function dealingMove({ view, moves }: Table): Move | undefined {
  return moves.find((move) => isDealing(move, view) || move.target === view.ruleset.stock);
}

/** Return the move that brings a card home, alone or with the only partner that it has. */
export function homeMove(table: Table, place: Place): Move | undefined {
  const { ruleset } = table.view;
  const moves = movesFrom(table, place);
  const alone = moves.find(({ target }) => ruleset.foundations.includes(target));
  const [pair, ...others] = moves.filter((move) => isPair(ruleset, move));
  return alone ?? (others.length === 0 ? pair : undefined);
}

/** Whether any card can go to the tableau in a game. */
export function playsToTableau({ rules }: Ruleset): boolean {
  const { tableau, stock, waste, reserve, cells } = rules;
  return [tableau, stock, waste, reserve, cells].some((part) =>
    part?.plays.some((place) => place === "tableau"),
  );
}

/**
 * Whether a tap on cards with several moves selects them, so that the next tap chooses the target:
 * with `twoStep`, and if any card goes on any other, so that no target is better than another.
 */
export function tapsSelect(ruleset: Ruleset, twoStep: boolean): boolean {
  return twoStep || (ruleset.rules.tableau?.order === "any" && playsToTableau(ruleset));
}

/**
 * Return the move for a tap on this place: the one that a hint shows, else to a foundation, else
 * onto the pile where the longest run results, else to an empty column, and to a cell only as a last
 * resort. Undefined if the player must choose, for example for cards home.
 */
export function bestMove(table: Table, place: Place): Move | undefined {
  const { view, hint } = table;
  const moves = movesFrom(table, place);
  const shown = moves.find(
    ({ source, target }) => source === hint?.source && target === hint.target,
  );
  const sure = shown ?? homeMove(table, place);
  if (sure) return sure;
  // A card may have several partners.
  const several = moves.some((move) => isPair(view.ruleset, move));
  if (several || tapsSelect(view.ruleset, false) || isHome(view, place)) return undefined;
  let best: { move: Move; worth: number } | undefined;
  for (const move of moves) {
    if (isPointless(view, move)) continue;
    const worth = worthOf(view, move);
    if (best === undefined || worth > best.worth) best = { move, worth };
  }
  return best?.move;
}

export function isHome({ ruleset }: Layout, { pile }: Place): boolean {
  return ruleset.foundations.includes(pile);
}

/** Whether a move fills the last empty cell, and cannot be undone. */
export function fillsLastCell({ view, final = false }: Table, { target }: Move): boolean {
  const { cells } = view.ruleset;
  const full = (cell: number): boolean => cell === target || pileAt(view, cell).length > 0;
  return final && cells.includes(target) && cells.every(full);
}

/** Rate a move by the length of the resulting run; it counts more if the cards move together. */
function worthOf(view: Layout, { source, target, count }: Move): number {
  const { cells, carries, builds, total } = view.ruleset;
  const onto = pileAt(view, target);
  const head = pileAt(view, source).at(-count);
  const top = onto.at(-1);
  if (top === undefined || head === undefined) return cells.includes(target) ? -1 : 0;
  if (carries(top, head)) return total + runLength(onto, carries);
  return runLength(onto, builds);
}

/** Whether a move only takes all cards of a column to an empty one. */
export function isPointless(view: Layout, { source, target, count }: Move): boolean {
  const { tableau } = view.ruleset;
  return (
    tableau.includes(target) &&
    tableau.includes(source) &&
    pileAt(view, target).length === 0 &&
    pileAt(view, source).length === count
  );
}
