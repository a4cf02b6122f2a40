/** A hint: what a good simple player would do next. `RULES.md` describes how it is chosen. */

import { type Layout, pileAt, viewOf } from "./board.ts";
import { RANKS, isDown } from "./cards.ts";
import { legalMoves } from "./moves.ts";
import { apply } from "./play.ts";
import type { Move } from "./ruleset.ts";

/** How good a move is. Worths are compared from the left, and more is better. */
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
 * The move that a good simple player would make, by what the player sees; `null` if none gets
 * further. It is the server's hint.
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

/** The order of moves of equal worth: piles on the left come first. */
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

function isHomeward({ ruleset }: Layout, { target }: Move): boolean {
  return ruleset.foundations.includes(target);
}

/** How good a legal move is; `null` if it leads nowhere. No move leads home, or this one does. */
function worthOf(seen: Layout, move: Move): Worth | null {
  const { ruleset } = seen;
  const from = pileAt(seen, move.source);
  const turns = (card: number | undefined) => ruleset.turns[card ?? -1] ?? 0;
  if (isHomeward(seen, move)) return [HOME, move.count, -turns(from.at(-1))];
  if (!ruleset.tableau.includes(move.target)) return [DEALS];
  const onto = pileAt(seen, move.target);
  const turn = turns(from.at(-move.count));
  const known = onto.filter((card) => !isDown(card)).map(turns);
  const buried = known.filter((each) => each < turn).length;
  const gap = known.length > 0 ? Math.min(...known) : RANKS.length;
  if (leadsHome(seen, move)) return [PREPARES, -buried, -gap];
  const joins = onto.length > 0 && ruleset.ordersTableau;
  if (ruleset.tableau.includes(move.source)) return worthBetween(seen, move, joins);
  if (joins) return [WASTE_JOINS, -buried];
  return move.source === ruleset.waste ? [WASTE] : [DEALS, -buried, -gap];
}

/** How good a move from tableau pile to tableau pile is. */
function worthBetween(seen: Layout, { source, target, count }: Move, joins: boolean): Worth | null {
  const { ruleset } = seen;
  const from = pileAt(seen, source);
  const left = from.slice(0, -count);
  const below = left.at(-1);
  const head = from.at(-count);
  const uncovers = below !== undefined && isDown(below);
  if (below !== undefined && head !== undefined && !uncovers && ruleset.builds(below, head)) {
    return null;
  }
  if (joins) return [JOINS, Number(uncovers), Number(left.length === 0), count];
  if (uncovers) return [UNCOVERS, count];
  const spreads =
    left.length > 0 &&
    pileAt(seen, target).length === 0 &&
    pileAt(seen, ruleset.stock).length === 0;
  return spreads ? [SPREADS, -left.length] : null;
}

/** Whether a card that is seen can go home after a move. */
function leadsHome(seen: Layout, move: Move): boolean {
  const after = apply(seen, move);
  return legalMoves(after).some((next) => isHomeward(after, next));
}
