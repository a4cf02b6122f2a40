/** Which of the legal moves a tap means, and what is left to do by itself. */

import { type Layout, type View, cardsFaceDown, pileAt } from "../../../src/rules/board.ts";
import { isDown } from "../../../src/rules/cards.ts";
import { isWon, legalMoves, runLength } from "../../../src/rules/moves.ts";
import { apply } from "../../../src/rules/play.ts";
import { type Move, ROW } from "../../../src/rules/ruleset.ts";

/** A card by pile and index from the bottom; an empty pile's place has the index 0. */
export interface Place {
  readonly pile: number;
  readonly index: number;
}

export interface Table {
  readonly view: View;
  /** The moves that are legal in it; none while the player may not move. */
  readonly moves: readonly Move[];
}

/** The moves that take exactly the cards from this place to the end of its pile. */
export function movesFrom({ view, moves }: Table, { pile, index }: Place): Move[] {
  const count = pileAt(view, pile).length - index;
  return moves.filter(
    (move) => move.source === pile && move.count === count && !isDealing(move, view),
  );
}

/** A move of the stock that is made by pressing it: onto the waste, or a row. */
function isDealing({ source, target }: Move, { ruleset }: Layout): boolean {
  return source === ruleset.stock && (target === ROW || target === ruleset.waste);
}

/** What pressing the stock does: it deals, or turns the waste over when it is empty. */
export function dealingMove({ view, moves }: Table): Move | undefined {
  return moves.find((move) => isDealing(move, view) || move.target === view.ruleset.stock);
}

/** The move that takes a single card from this place to a foundation, or a whole run. */
export function homeMove(table: Table, place: Place): Move | undefined {
  const { foundations } = table.view.ruleset;
  return movesFrom(table, place).find(({ target }) => foundations.includes(target));
}

/** The move that a tap on this place means: home, else to where the longest run comes about. */
export function bestMove(table: Table, place: Place): Move | undefined {
  const home = homeMove(table, place);
  if (home) return home;
  const { view } = table;
  // Where any card goes on any other, no place is better than another: the player chooses.
  if (view.ruleset.rules.tableau?.order === "any") return undefined;
  let best: { move: Move; length: number } | undefined;
  for (const move of movesFrom(table, place)) {
    if (isPointless(view, move)) continue;
    const length = runLength(pileAt(view, move.target), view.ruleset.builds);
    if (best === undefined || length > best.length) best = { move, length };
  }
  return best?.move;
}

/** A move worth looking at: home, else one that opens something up, else one that builds, else a deal. */
export function hintMove(table: Table): Move | undefined {
  const { view, moves } = table;
  const { foundations, tableau } = view.ruleset;
  const useful = moves.filter((move) => tableau.includes(move.target) && !isPointless(view, move));
  return (
    moves.find(({ target }) => foundations.includes(target)) ??
    useful.find((move) => opensUp(view, move)) ??
    useful.find((move) => !isEmpty(view, move.target) && !liesWell(view, move)) ??
    dealingMove(table) ??
    useful[0]
  );
}

function isEmpty(view: Layout, pile: number): boolean {
  return pileAt(view, pile).length === 0;
}

/** Whether the cards of a move lie in a column as well as they would lie in another. */
function liesWell(view: Layout, { source, count }: Move): boolean {
  const { tableau, builds } = view.ruleset;
  const pile = pileAt(view, source);
  const [below, card] = [pile.at(-count - 1), pile.at(-count)];
  if (!tableau.includes(source) || below === undefined || card === undefined) return false;
  return builds(below, card);
}

/** Whether a move to a column that has cards empties one, or bares a card that lies face down. */
function opensUp(view: Layout, { source, target, count }: Move): boolean {
  if (!view.ruleset.tableau.includes(source) || isEmpty(view, target)) return false;
  const left = pileAt(view, source).at(-count - 1);
  return left === undefined || isDown(left);
}

/** Whether all that a move does is to make another column empty. */
export function isPointless(view: Layout, { source, target, count }: Move): boolean {
  const { tableau } = view.ruleset;
  return (
    tableau.includes(target) &&
    tableau.includes(source) &&
    pileAt(view, target).length === 0 &&
    pileAt(view, source).length === count
  );
}

/** The moves home that win, if nothing else is left to be done; null if something is. */
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
