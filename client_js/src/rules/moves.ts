/** Legal moves, on boards and views alike: they never depend on a hidden card. */

import { type Layout, cardsHome, pileAt } from "./board.ts";
import { type Card, type Pile, isDown } from "./cards.ts";
import { EMPTY, type Fits, type Move, ROW, RUN_LENGTH, type Ruleset } from "./ruleset.ts";

/** All legal moves, each once, in no particular order. */
export function legalMoves(layout: Layout): Move[] {
  const { tableau, stock } = layout.ruleset;
  const moves: Move[] = [];
  for (const source of tableau) {
    if (pileAt(layout, source).length > 0) fromTableau(layout, source, moves);
  }
  fromWaste(layout, moves);
  if (pileAt(layout, stock).length > 0) fromStock(layout, moves);
  return moves;
}

/** Whether a move is legal. */
export function isLegal(layout: Layout, { source, target, count }: Move): boolean {
  return legalMoves(layout).some(
    (move) => move.source === source && move.target === target && move.count === count,
  );
}

/** Whether every card is on a foundation. */
export function isWon(layout: Layout): boolean {
  return cardsHome(layout) === layout.ruleset.total;
}

/** Whether the board is not won and no move is legal. */
export function isStuck(layout: Layout): boolean {
  return !isWon(layout) && legalMoves(layout).length === 0;
}

/** The top card of a pile, or `EMPTY`. */
export function topOf(pile: Pile): Card {
  return pile.at(-1) ?? EMPTY;
}

/** How many face-up cards at the end of a pile build on one another. */
export function runLength(pile: Pile, builds: Fits): number {
  let length = 0;
  let upper = EMPTY;
  for (const card of pile.toReversed()) {
    if (isDown(card) || (length > 0 && !builds(card, upper))) break;
    length += 1;
    upper = card;
  }
  return length;
}

/** Whether foundation `target`, holding `pile`, takes the single card `card`. */
export function fitsFoundation(ruleset: Ruleset, target: number, pile: Pile, card: Card): boolean {
  return ruleset.homes[target]?.(topOf(pile), card) ?? false;
}

/** Append the legal moves of a tableau pile that has cards. */
function fromTableau(layout: Layout, source: number, moves: Move[]): void {
  const { ruleset } = layout;
  const plays = ruleset.rules.tableau?.plays ?? [];
  if (plays.includes("foundation")) {
    toFoundations(layout, source, moves);
    runsHome(layout, source, moves);
  }
  if (plays.includes("tableau")) {
    if (ruleset.movesRuns) runsToTableau(layout, source, moves);
    else toTableau(layout, source, moves);
  }
}

/** Append the legal moves of the waste: those of its top card, and turning it over. */
function fromWaste(layout: Layout, moves: Move[]): void {
  const { waste, rules, stock } = layout.ruleset;
  if (waste === null || rules.waste === null || pileAt(layout, waste).length === 0) return;
  if (rules.waste.plays.includes("foundation")) toFoundations(layout, waste, moves);
  if (rules.waste.plays.includes("tableau")) toTableau(layout, waste, moves);
  if (layout.redeals < rules.waste.redeals && pileAt(layout, stock).length === 0) {
    moves.push({ source: waste, target: stock, count: 1 });
  }
}

/** Append the legal moves of a stock that has cards. */
function fromStock(layout: Layout, moves: Move[]): void {
  const { stock: source, waste, rules } = layout.ruleset;
  for (const place of rules.stock.plays) {
    if (place === "waste" && waste !== null) moves.push({ source, target: waste, count: 1 });
    else if (place === "row") moves.push({ source, target: ROW, count: 1 });
    else if (place === "tableau") toTableau(layout, source, moves);
    else if (place === "foundation") stockToFoundations(layout, moves);
  }
}

function stockToFoundations(layout: Layout, moves: Move[]): void {
  const { stock: source, foundations, rules } = layout.ruleset;
  const how = rules.stock.to_foundation;
  if (how === "fitting") {
    toFoundations(layout, source, moves);
  } else if (how === "first") {
    const empty = foundations.filter((target) => pileAt(layout, target).length === 0);
    toFoundations(layout, source, moves, empty);
  } else {
    for (const target of foundations) moves.push({ source, target, count: 1 });
  }
}

function toFoundations(
  layout: Layout,
  source: number,
  moves: Move[],
  targets: readonly number[] = layout.ruleset.foundations,
): void {
  const card = topOf(pileAt(layout, source));
  for (const target of targets) {
    if (fitsFoundation(layout.ruleset, target, pileAt(layout, target), card)) {
      moves.push({ source, target, count: 1 });
    }
  }
}

function toTableau(layout: Layout, source: number, moves: Move[]): void {
  const { builds, tableau } = layout.ruleset;
  const card = topOf(pileAt(layout, source));
  for (const target of tableau) {
    if (target !== source && builds(topOf(pileAt(layout, target)), card)) {
      moves.push({ source, target, count: 1 });
    }
  }
}

/** Append the legal moves of a pile's run, whole or in part, to tableau piles. */
function runsToTableau(layout: Layout, source: number, moves: Move[]): void {
  const { builds, bySpaces, tableau } = layout.ruleset;
  const pile = pileAt(layout, source);
  const longest = longestCarried(layout, runLength(pile, builds));
  for (const target of tableau) {
    if (target === source) continue;
    const onto = topOf(pileAt(layout, target));
    const most = onto === EMPTY && bySpaces ? Math.min(1, longest) : longest;
    for (let count = 1; count <= most; count++) {
      const card = pile.at(-count);
      if (card !== undefined && builds(onto, card)) moves.push({ source, target, count });
    }
  }
}

/** How many cards of a run may move at once onto a pile that has cards. */
function longestCarried(layout: Layout, run: number): number {
  const { bySpaces, tableau } = layout.ruleset;
  if (!bySpaces) return run;
  const spaces = tableau.filter((pile) => pileAt(layout, pile).length === 0).length;
  return Math.min(run, 2 ** spaces);
}

/** Append the legal moves of a whole run from the tableau to foundations. */
function runsHome(layout: Layout, source: number, moves: Move[]): void {
  const { ruleset } = layout;
  const pile = pileAt(layout, source);
  const head = pile.at(-RUN_LENGTH);
  if (head === undefined || runLength(pile, ruleset.builds) < RUN_LENGTH) return;
  for (const target of ruleset.foundations) {
    if (ruleset.headsRun(target, head) && pileAt(layout, target).length === 0) {
      moves.push({ source, target, count: RUN_LENGTH });
    }
  }
}
