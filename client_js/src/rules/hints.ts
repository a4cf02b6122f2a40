/** Hints: the next move of a good simple player. `RULES.md` describes how it is chosen. */

import { type Layout, cardsHome, pileAt, viewOf } from "./board.ts";
import { type Card, RANKS, isDown } from "./cards.ts";
import { isPair, legalMoves } from "./moves.ts";
import { apply } from "./play.ts";
import { ENDLESS, type Move, ROW, type Ruleset } from "./ruleset.ts";

/** A move's worth, compared lexicographically; greater is better. */
type Worth = readonly number[];

const HOME = 8;
const PREPARES = 7;
const JOINS = 6;
const UNCOVERS = 5;
const WASTE_JOINS = 4;
const WASTE = 3;
const DEALS = 2;
const SPREADS = 1;

/**
 * Return a good simple player's next move, based on the visible cards; null if none is useful. The
 * server gives the same hint.
 */
export function hint(layout: Layout): Move | null {
  const seen = viewOf(layout);
  const moves = legalMoves(seen);
  const homeward = moves.filter((move) => isHomeward(seen, move));
  let best: { readonly worth: Worth; readonly move: Move } | null = null;
  for (const move of homeward.length > 0 ? homeward : moves) {
    const worth = worthOf(seen, move);
    if (worth === null) continue;
    if (best === null || compare(worth, best.worth) > 0) best = { worth, move };
    else if (compare(worth, best.worth) === 0 && compare(order(move), order(best.move)) > 0) {
      best = { worth, move };
    }
  }
  return best === null ? null : best.move;
}

/** The tie-break between moves of equal worth: piles further left come first. */
function order({ source, target, count }: Move): Worth {
  return [-source, -target, -count];
}

function compare(one: Worth, other: Worth): number {
  for (const [at, value] of one.entries()) {
    const difference = value - (other[at] ?? -Infinity);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

function isHomeward({ ruleset }: Layout, move: Move): boolean {
  return ruleset.foundations.includes(move.target) || isPair(ruleset, move);
}

/** Count the cards of peaks that a move home leaves uncovered. */
function countFreed(seen: Layout, { source, target }: Move): number {
  const { covers, coveredBy } = seen.ruleset;
  const places = new Set([source, target].flatMap((pile) => covers[pile] ?? []));
  const stays = (pile: number) =>
    pile !== source && pile !== target && pileAt(seen, pile).length > 0;
  return [...places].filter((place) => !coveredBy[place]?.some(stays)).length;
}

/** Return a legal move's worth; null if it is useless, given whether any move leads home. */
function worthOf(seen: Layout, move: Move): Worth | null {
  const { foundations, stock, waste, turns } = seen.ruleset;
  const { source, target, count } = move;
  if (isHomeward(seen, move)) {
    const turn = turns[pileAt(seen, source).at(-1) ?? -1] ?? 0;
    return [HOME, count, -turn, countFreed(seen, move)];
  }
  if (foundations.includes(source)) return null;
  if (target === stock) return hasUse(seen) ? [DEALS] : null;
  return target === ROW || target === waste ? [DEALS] : worthToPlace(seen, move);
}

/** Return the worth of a move to a tableau pile or a cell, from anywhere but a foundation. */
function worthToPlace(seen: Layout, move: Move): Worth | null {
  const { ruleset } = seen;
  const turns = (card: number | undefined) => ruleset.turns[card ?? -1] ?? 0;
  const onto = pileAt(seen, move.target);
  const turn = turns(pileAt(seen, move.source).at(-move.count));
  const known = onto.filter((card) => !isDown(card)).map(turns);
  const buried = known.filter((each) => each < turn).length;
  const gap = known.length > 0 ? Math.min(...known) : RANKS.length;
  if (leadsHome(seen, move)) return [PREPARES, -buried, -gap];
  if (ruleset.tableau.includes(move.source)) return worthFromPile(seen, move);
  if (onto.length > 0 && ruleset.ordersTableau) return [WASTE_JOINS, -buried];
  if (move.source === ruleset.stock) return [DEALS, -buried, -gap];
  // A move into a cell, or out of one, gains nothing unless it builds or leads home.
  const { cells } = ruleset;
  return cells.includes(move.source) || cells.includes(move.target) ? null : [WASTE];
}

function worthFromPile(seen: Layout, { source, target, count }: Move): Worth | null {
  const { ruleset } = seen;
  const from = pileAt(seen, source);
  const onto = pileAt(seen, target).at(-1);
  const left = from.slice(0, -count);
  const below = left.at(-1);
  const head = from.at(-count);
  const toTableau = Number(ruleset.tableau.includes(target));
  const uncovers = below !== undefined && isDown(below);
  const bond = uncovers ? 0 : bondOf(ruleset, below, head);
  const newBond = ruleset.ordersTableau ? bondOf(ruleset, onto, head) : 0;
  const hasStock = pileAt(seen, ruleset.stock).length > 0;
  const needsCards = hasStock && !ruleset.rules.stock.row_on_empty;
  if (newBond > 0) {
    const empties = left.length === 0;
    // Emptying a pile would block the next row.
    if (newBond <= bond || (empties && needsCards)) return null;
    return [JOINS, newBond, Number(uncovers), Number(empties), count];
  }
  if (uncovers) return [UNCOVERS, toTableau, count];
  // An empty pile already blocks the next row, so that breaking a bond to fill it is useful.
  const waits = needsCards && !legalMoves(seen).some((move) => move.source === ruleset.stock);
  if (bond > 0 && !waits) return null;
  const spreads = left.length > 0 && onto === undefined && (waits || !hasStock);
  return spreads ? [SPREADS, toTableau, -bond, -left.length] : null;
}

/** Rate how well a card lies on another: 2 if they move together, 1 if it only builds. */
function bondOf(ruleset: Ruleset, below: Card | undefined, card: Card | undefined): number {
  if (below === undefined || card === undefined) return 0;
  return Number(ruleset.builds(below, card)) + Number(ruleset.carries(below, card));
}

/**
 * Whether turning over the waste is useful. With limited redeals it always is. With unlimited ones
 * it is if the next pass brings up a card that fits somewhere without other moves.
 */
function hasUse(seen: Layout): boolean {
  const { redeals, waste, stock, rules } = seen.ruleset;
  if (redeals < ENDLESS || waste === null) return true;
  const cards = pileAt(seen, waste);
  const tops = cards.filter(
    (_, at) => (at + 1) % rules.stock.turns === 0 || at === cards.length - 1,
  );
  return tops.some((top) => {
    const passing = { ...seen, piles: seen.piles.with(waste, [top]) };
    return legalMoves(passing).some(
      (move) => move.source === waste && move.target !== stock && worthOf(passing, move) !== null,
    );
  });
}

/** Whether a move brings a card home, or exposes one that is known to go home next. */
function leadsHome(seen: Layout, move: Move): boolean {
  const after = apply(seen, move);
  return (
    cardsHome(after) > cardsHome(seen) || legalMoves(after).some((next) => isHomeward(after, next))
  );
}
