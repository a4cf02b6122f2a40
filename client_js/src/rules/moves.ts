/** Legal moves, on boards and views alike: they never depend on a hidden card. */

import { type Layout, cardsHome, pileAt } from "./board.ts";
import { type Card, PACK_SIZE, type Pile, RANKS, isDown, rankOf } from "./cards.ts";
import { EMPTY, type Fits, type Move, ROW, RUN_LENGTH, type Ruleset } from "./ruleset.ts";
import type { Place } from "./schema.ts";

/** The sum of the ranks, counted from 0, of two cards that total thirteen. */
const PAIR = RANKS.length - 2;

/** Return all legal moves, each once, in no particular order. */
export function legalMoves(layout: Layout): Move[] {
  const { tableau, stock, waste, reserve, cells, groups, rules } = layout.ruleset;
  const moves: Move[] = [];
  for (const source of tableau) fromTableau(layout, source, moves);
  for (const source of reserve) fromPile(layout, source, rules.reserve?.plays ?? [], moves);
  for (const source of cells) fromPile(layout, source, rules.cells?.plays ?? [], moves);
  if (waste !== null) {
    fromPile(layout, waste, rules.waste?.plays ?? [], moves);
    turningOver(layout, waste, moves);
  }
  if (pileAt(layout, stock).length > 0) fromStock(layout, moves);
  if (layout.ruleset.pairs) pairsHome(layout, moves);
  if (groups.some(({ plays }) => plays.length > 0) && !isWon(layout)) {
    groups.forEach(({ plays }, source) => fromPile(layout, source, plays, moves));
  }
  return moves;
}

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

/** Return the top card of a pile, or `EMPTY`. */
export function topOf(pile: Pile): Card {
  return pile.at(-1) ?? EMPTY;
}

/** Count the face-up cards at the end of a pile that build on each other. */
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

/**
 * Whether foundation `target`, holding `pile`, takes the single card `card`. On a foundation that
 * must start with the rank of another, any first card is accepted here.
 */
export function fitsFoundation(ruleset: Ruleset, target: number, pile: Pile, card: Card): boolean {
  return ruleset.homes[target]?.(topOf(pile), card) ?? false;
}

function fromTableau(layout: Layout, source: number, moves: Move[]): void {
  const { movesRuns, rules } = layout.ruleset;
  const plays = rules.tableau?.plays ?? [];
  const single = movesRuns ? plays.filter((place) => place !== "tableau") : plays;
  fromPile(layout, source, single, moves);
  if (plays.includes("foundation")) runsHome(layout, source, moves);
  if (movesRuns && plays.includes("tableau")) runsToTableau(layout, source, moves);
}

function fromPile(layout: Layout, source: number, plays: readonly Place[], moves: Move[]): void {
  if (pileAt(layout, source).length === 0 || isCovered(layout, source)) return;
  for (const place of plays) {
    if (place === "foundation") toFoundations(layout, source, moves);
    else if (place === "tableau") toTableau(layout, source, moves);
    else toCells(layout, source, moves);
  }
}

/** Append turning over the waste, if it is legal. */
function turningOver(layout: Layout, waste: number, moves: Move[]): void {
  const { redeals, stock } = layout.ruleset;
  if (pileAt(layout, waste).length === 0 || pileAt(layout, stock).length > 0) return;
  if (layout.redeals < redeals) moves.push({ source: waste, target: stock, count: 1 });
}

/** Append the legal moves of a non-empty stock. */
function fromStock(layout: Layout, moves: Move[]): void {
  const { stock: source, waste, rules } = layout.ruleset;
  for (const place of rules.stock.plays) {
    if (place === "waste" && waste !== null) moves.push({ source, target: waste, count: 1 });
    else if (place === "row" && mayDealRow(layout)) moves.push({ source, target: ROW, count: 1 });
    else if (place === "tableau") toTableau(layout, source, moves);
    else if (place === "foundation") stockToFoundations(layout, moves);
  }
}

/** Whether a row may be dealt: every pile has cards, unless too few are left or none must. */
function mayDealRow(layout: Layout): boolean {
  const { tableau, rules } = layout.ruleset;
  const sizes = tableau.map((pile) => pileAt(layout, pile).length);
  const cards = sizes.reduce((sum, size) => sum + size, 0);
  return rules.stock.row_on_empty || !sizes.includes(0) || cards < sizes.length;
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
    const pile = pileAt(layout, target);
    if (
      fitsFoundation(layout.ruleset, target, pile, card) &&
      (pile.length > 0 || mayStart(layout, target, card))
    ) {
      moves.push({ source, target, count: 1 });
    }
  }
}

/** Whether a card that fits an empty foundation has the rank the others started with. */
export function mayStart(layout: Layout, target: number, card: Card): boolean {
  if (layout.ruleset.groups[target]?.first !== "same") return true;
  return rankOf(card) === rankOf(pileAt(layout, 0)[0] ?? card);
}

function toCells(layout: Layout, source: number, moves: Move[]): void {
  if (topOf(pileAt(layout, source)) >= PACK_SIZE) return;
  for (const target of layout.ruleset.cells) {
    if (pileAt(layout, target).length === 0) moves.push({ source, target, count: 1 });
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

function runsToTableau(layout: Layout, source: number, moves: Move[]): void {
  const { builds, tableau, moves: how } = layout.ruleset;
  const pile = pileAt(layout, source);
  const run = together(layout, pile);
  for (const target of tableau) {
    if (target === source) continue;
    const onto = topOf(pileAt(layout, target));
    const most = Math.min(run, longestRun(layout, onto === EMPTY));
    for (let count = 1; count <= most; count++) {
      const card = pile.at(-count);
      const whole = how !== "whole-run" || count === 1 || count === pile.length;
      if (whole && card !== undefined && builds(onto, card)) moves.push({ source, target, count });
    }
  }
}

/** Count the cards at the end of a pile that would move together, given enough room. */
export function together({ ruleset }: Layout, pile: Pile): number {
  if (ruleset.moves !== "any") return runLength(pile, ruleset.carries);
  return pile.length - (pile.findLastIndex(isDown) + 1);
}

/** Return how many cards can move together onto a tableau pile, given the free places. */
export function longestRun(layout: Layout, ontoEmpty: boolean): number {
  const { moves, carriers, total } = layout.ruleset;
  if (!moves.startsWith("run-by")) return total;
  const [spaces = 0, cells = 0] = carriers.map(
    (piles) => piles.filter((pile) => pileAt(layout, pile).length === 0).length,
  );
  if (moves === "run-by-spaces") return ontoEmpty ? 1 : 2 ** spaces;
  return (1 + cells) * 2 ** Math.max(0, spaces - Number(ontoEmpty));
}

/** Return the foundation to which a run leaves a tableau pile automatically, if any. */
export function leavingTo(
  ruleset: Ruleset,
  piles: readonly Pile[],
  source: number,
): number | undefined {
  const pile = piles[source] ?? [];
  const head = pile.at(-RUN_LENGTH);
  if (head === undefined || runLength(pile, ruleset.carries) < RUN_LENGTH) return undefined;
  return ruleset.foundations.find(
    (target) =>
      ruleset.groups[target]?.automatic &&
      ruleset.headsRun(target, head) &&
      piles[target]?.length === 0,
  );
}

/** Whether cards of the next row of peaks cover the card of a tableau pile. */
export function isCovered(layout: Layout, pile: number): boolean {
  return (layout.ruleset.coveredBy[pile] ?? []).some((cover) => pileAt(layout, cover).length > 0);
}

/** Whether a move brings two cards home together: the moved one, and the one it is moved onto. */
export function isPair({ pairs, foundations, stock }: Ruleset, move: Move): boolean {
  const { source, target } = move;
  return (
    pairs && !foundations.includes(target) && target !== stock && source !== stock && target !== ROW
  );
}

/** Whether the ranks of two known cards total thirteen; false if the second is missing. */
export function arePair(card: Card, other: Card | undefined): boolean {
  return other !== undefined && rankOf(card) + rankOf(other) === PAIR;
}

/** Append the moves that bring two cards home as a pair. */
function pairsHome(layout: Layout, moves: Move[]): void {
  const { tableau, reserve, waste, rules } = layout.ruleset;
  const goesHome = (part: { plays: readonly Place[] } | null) =>
    part?.plays.includes("foundation") === true;
  const sources = [
    ...(goesHome(rules.tableau) ? tableau : []),
    ...(goesHome(rules.reserve) ? reserve : []),
    ...(waste !== null && goesHome(rules.waste) ? [waste] : []),
  ];
  const open = sources.filter(
    (pile) => topOf(pileAt(layout, pile)) < PACK_SIZE && !isCovered(layout, pile),
  );
  for (const source of open) {
    for (const target of open) {
      if (
        source !== target &&
        arePair(topOf(pileAt(layout, source)), topOf(pileAt(layout, target)))
      )
        moves.push({ source, target, count: 1 });
    }
  }
}

/** Append the legal moves of whole runs from the tableau to foundations. */
function runsHome(layout: Layout, source: number, moves: Move[]): void {
  const { ruleset } = layout;
  const pile = pileAt(layout, source);
  const head = pile.at(-RUN_LENGTH);
  if (head === undefined || runLength(pile, ruleset.carries) < RUN_LENGTH) return;
  for (const target of ruleset.foundations) {
    if (ruleset.groups[target]?.automatic) continue;
    if (ruleset.headsRun(target, head) && pileAt(layout, target).length === 0) {
      moves.push({ source, target, count: RUN_LENGTH });
    }
  }
}
