/** Which legal move a tap means, and which moves finish a game automatically. */

import { type Layout, type View, cardsFaceDown, pileAt } from "../../../src/rules/board.ts";
import { isWon, legalMoves, runLength } from "../../../src/rules/moves.ts";
import { apply } from "../../../src/rules/play.ts";
import { type Move, ROW, type Ruleset } from "../../../src/rules/ruleset.ts";

/** A card by pile and index from the bottom; an empty pile's place has the index 0. */
export interface Place {
  readonly pile: number;
  readonly index: number;
}

export interface Table {
  readonly view: View;
  /** The legal moves; none while the player may not move. */
  readonly moves: readonly Move[];
}

/** The moves that take exactly the cards from this place to the end of its pile. */
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

/** The move of a press on the stock: it deals, or turns the waste over when it is empty. */
export function dealingMove({ view, moves }: Table): Move | undefined {
  return moves.find((move) => isDealing(move, view) || move.target === view.ruleset.stock);
}

/** The move that takes the card or run at this place to a foundation. */
export function homeMove(table: Table, place: Place): Move | undefined {
  const { foundations } = table.view.ruleset;
  return movesFrom(table, place).find(({ target }) => foundations.includes(target));
}

/** Whether any card goes to the tableau in a game. */
export function playsToTableau({ rules }: Ruleset): boolean {
  const { tableau, stock, waste, reserve, cells } = rules;
  return [tableau, stock, waste, reserve, cells].some((part) =>
    part?.plays.some((place) => place === "tableau"),
  );
}

/**
 * Whether a tap selects cards that have several moves, for the next tap to choose among them: with
 * `twoStep`, and where any card goes on any other, so that no place is better than another.
 */
export function tapsSelect(ruleset: Ruleset, twoStep: boolean): boolean {
  return twoStep || (ruleset.rules.tableau?.order === "any" && playsToTableau(ruleset));
}

/**
 * The move of a tap on this place: to a foundation, else to where it makes the longest run, else to
 * a cell, which is worth less than an empty column. None where the choice is the player's, as it is
 * of cards that are home.
 */
export function bestMove(table: Table, place: Place): Move | undefined {
  const home = homeMove(table, place);
  if (home) return home;
  const { view } = table;
  if (tapsSelect(view.ruleset, false) || isHome(view, place)) return undefined;
  let best: { move: Move; worth: number } | undefined;
  for (const move of movesFrom(table, place)) {
    if (isPointless(view, move)) continue;
    const worth = worthOf(view, move);
    if (best === undefined || worth > best.worth) best = { move, worth };
  }
  return best?.move;
}

/** Whether a place is on a foundation. */
export function isHome({ ruleset }: Layout, { pile }: Place): boolean {
  return ruleset.foundations.includes(pile);
}

/** The length of the run that a move makes; it counts more if its cards move on together. */
function worthOf(view: Layout, { source, target, count }: Move): number {
  const { cells, carries, builds, total } = view.ruleset;
  const onto = pileAt(view, target);
  const head = pileAt(view, source).at(-count);
  const top = onto.at(-1);
  if (top === undefined || head === undefined) return cells.includes(target) ? 0 : -1;
  if (carries(top, head)) return total + runLength(onto, carries);
  return runLength(onto, builds);
}

/** Whether a move only takes all cards of one column to an empty one. */
export function isPointless(view: Layout, { source, target, count }: Move): boolean {
  const { tableau } = view.ruleset;
  return (
    tableau.includes(target) &&
    tableau.includes(source) &&
    pileAt(view, target).length === 0 &&
    pileAt(view, source).length === count
  );
}

/** The moves to foundations that win, if they are all that is left to do; else null. */
export function finishingMoves(view: View): Move[] | null {
  const { ruleset } = view;
  const { foundations, stock, waste } = ruleset;
  const dealt = pileAt(view, stock).length === 0;
  const drawn = waste === null || pileAt(view, waste).length === 0;
  if (!dealt || !drawn || cardsFaceDown(view) > 0 || isWon(view)) return null;
  const moves: Move[] = [];
  let layout: Layout = view;
  for (;;) {
    const home = legalMoves(layout).find(({ target }) => foundations.includes(target));
    if (home === undefined) return isWon(layout) ? moves : null;
    moves.push(home);
    layout = apply(layout, home);
  }
}
