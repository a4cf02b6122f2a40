/**
 * Applying moves to boards and views.
 *
 * On a board the result is exact. On a view it is a prediction: unseen cards that are turned up or
 * dealt stay `UNSEEN` until the server's delta shows them.
 */

import { type Board, type Layout, type View, pileAt, viewOf } from "./board.ts";
import { type Pile, turnedDown, turnedUp } from "./cards.ts";
import { EngineError } from "./errors.ts";
import { isCovered, isLegal, isPair, leavingTo } from "./moves.ts";
import { moveText } from "./notation.ts";
import { type Move, ROW, RUN_LENGTH, type Ruleset } from "./ruleset.ts";

/** Return the board after a move; throw `illegal_move` if the rules forbid it. */
export function play(board: Board, move: Move): Board {
  if (!isLegal(board, move)) {
    const text = moveText(board.ruleset, move);
    throw new EngineError("illegal_move", `${text} is not a legal move here.`);
  }
  return apply(board, move);
}

/** Return the predicted view after a move; throw `illegal_move`. */
export function predict(view: View, move: Move): View {
  // Turning over the waste puts its cards face down, so the view hides them again.
  return viewOf(play(view, move));
}

/** Return the layout after a move that is known to be legal. */
export function apply(layout: Layout, move: Move): Layout {
  const { ruleset } = layout;
  const piles = [...layout.piles];
  let { redeals } = layout;
  if (move.target === ROW) {
    dealRow(ruleset, piles);
  } else if (move.source === ruleset.waste && move.target === ruleset.stock) {
    piles[move.target] = turnedDown(pileAt(layout, move.source).toReversed());
    piles[move.source] = [];
    redeals += 1;
  } else if (move.source === ruleset.stock && move.target === ruleset.waste) {
    dealToWaste(ruleset, piles, move.target);
  } else if (isPair(ruleset, move)) {
    sendPair(ruleset, piles, move);
  } else {
    carry(piles, move);
    uncover(ruleset, piles, move.source);
  }
  if (ruleset.peaks !== null) turnUncovered({ ...layout, piles });
  if (ruleset.clears) clear(ruleset, piles);
  if (ruleset.automatic) sendRuns(ruleset, piles);
  if (ruleset.rules.stock.top === "up") turnTopUp(piles, ruleset.stock);
  return { ...layout, piles, redeals, moves: layout.moves + 1 };
}

/** Move cards from pile to pile, face up. */
function carry(piles: Pile[], { source, target, count }: Move): void {
  const from = piles[source] ?? [];
  piles[source] = from.slice(0, from.length - count);
  piles[target] = [...(piles[target] ?? []), ...turnedUp(from.slice(from.length - count))];
}

/** Turn up or fill a pile that a move has taken cards from, as the rules say. */
function uncover(ruleset: Ruleset, piles: Pile[], source: number): void {
  const inTableau = ruleset.tableau.includes(source);
  if (inTableau || ruleset.reserve.includes(source)) turnTopUp(piles, source);
  if (inTableau && piles[source]?.length === 0) fill(ruleset, piles, source);
}

/** Bring a card home, and then the one that it was moved onto. */
function sendPair(ruleset: Ruleset, piles: Pile[], { source, target, count }: Move): void {
  const [home = 0] = ruleset.foundations;
  const pair = [source, target];
  // No pile is filled with a card that goes home.
  for (const pile of pair) carry(piles, { source: pile, target: home, count });
  for (const pile of pair) uncover(ruleset, piles, pile);
}

/** Turn up the cards of peaks that nothing covers any more. */
function turnUncovered(layout: Layout & { readonly piles: Pile[] }): void {
  for (const pile of layout.ruleset.tableau) {
    if (!isCovered(layout, pile)) turnTopUp(layout.piles, pile);
  }
}

/** Bring all other cards home if the tableau is empty. */
function clear({ foundations, tableau }: Ruleset, piles: Pile[]): void {
  if (tableau.some((pile) => piles[pile]?.length)) return;
  const [home = 0] = foundations;
  piles.forEach((pile, number) => {
    if (number === home) return;
    piles[home] = [...(piles[home] ?? []), ...turnedUp(pile.toReversed())];
    piles[number] = [];
  });
}

/** Move whole runs from the ends of tableau piles to foundations that take them automatically. */
function sendRuns(ruleset: Ruleset, piles: Pile[]): void {
  for (const source of ruleset.tableau) {
    const target = leavingTo(ruleset, piles, source);
    if (target === undefined) continue;
    carry(piles, { source, target, count: RUN_LENGTH });
    uncover(ruleset, piles, source);
  }
}

/** Turn cards of the stock to the waste one by one, while there are any. */
function dealToWaste({ stock, rules }: Ruleset, piles: Pile[], waste: number): void {
  const left = piles[stock] ?? [];
  const size = Math.max(0, left.length - rules.stock.turns);
  piles[waste] = [...(piles[waste] ?? []), ...turnedUp(left.slice(size).toReversed())];
  piles[stock] = left.slice(0, size);
}

/** Return the piles that can fill an emptied tableau pile, in order of preference. */
export function fillers({ rules, reserve, stock, waste }: Ruleset): readonly number[] {
  const piles = { reserve, waste: waste === null ? [] : [waste], stock: [stock] };
  return (rules.tableau?.fill ?? []).flatMap((place) => piles[place]);
}

/** Fill an emptied tableau pile from the first non-empty pile of `tableau.fill`. */
function fill(ruleset: Ruleset, piles: Pile[], emptied: number): void {
  const source = fillers(ruleset).find((pile) => piles[pile]?.length);
  if (source === undefined) return;
  carry(piles, { source, target: emptied, count: 1 });
  uncover(ruleset, piles, source);
}

/** Deal one card to each tableau pile, from left to right, while the stock has cards. */
function dealRow({ stock, tableau }: Ruleset, piles: Pile[]): void {
  const left = [...(piles[stock] ?? [])];
  for (const target of tableau) {
    const card = left.pop();
    if (card === undefined) break;
    piles[target] = [...(piles[target] ?? []), ...turnedUp([card])];
  }
  piles[stock] = left;
}

function turnTopUp(piles: Pile[], number: number): void {
  const pile = piles[number] ?? [];
  piles[number] = [...pile.slice(0, -1), ...turnedUp(pile.slice(-1))];
}
