/** Moves home that are right on every board consistent with the player's knowledge. */

import { type Layout, pileAt } from "../rules/board.ts";
import { type Card, PACK_SIZE } from "../rules/cards.ts";
import { fitsFoundation, legalMoves, topOf } from "../rules/moves.ts";
import type { Move } from "../rules/ruleset.ts";
import { changesDeals } from "../rules/waste.ts";

/**
 * Return a move home that costs nothing: everything that can come home without it can come home
 * with it. Null if there is none.
 */
export function safeMove(known: Layout): Move | null {
  return legalMoves(known).find((move) => isSafe(known, move)) ?? null;
}

/**
 * Whether a single card goes home where there is room for all cards that could go there instead,
 * while no remaining card builds on it, from a pile that the rules do not fill as a consequence, and
 * without changing which cards come up later.
 */
function isSafe(known: Layout, { source, target, count }: Move): boolean {
  const { ruleset } = known;
  const { foundations, tableau, builds, groups, ordersTableau, rules } = ruleset;
  const from = pileAt(known, source);
  const card = topOf(from);
  if (!foundations.includes(target) || count !== 1 || card >= PACK_SIZE) return false;
  // Dealing the stock to the foundation would give the card other neighbours, which may be needed.
  const isDealtHome =
    rules.stock.plays.includes("foundation") && rules.stock.to_foundation === "any";
  if (isDealtHome && pileAt(known, ruleset.stock).length > 0) return false;
  if (changesDeals(known, source)) return false;
  if (tableau.includes(source) && from.length === 1 && rules.tableau?.fill.length) return false;
  const home = foundations.flatMap((pile) => pileAt(known, pile));
  const left = (other: Card) => countOf(ruleset.pack, other) - countOf(home, other);
  const takes = (pile: number, other: Card) =>
    fitsFoundation(ruleset, pile, pileAt(known, pile), other);
  const taking = foundations.filter((pile) => takes(pile, card));
  // A foundation of another group would continue differently from the card.
  if (!taking.every((pile) => groups[pile] === groups[target])) return false;
  let wanting = 0;
  for (let other = 0; other < PACK_SIZE; other++) {
    if (left(other) === 0) continue;
    if (ordersTableau && builds(card, other)) return false;
    if (taking.some((pile) => takes(pile, other))) wanting += left(other);
  }
  return wanting <= taking.length;
}

function countOf(cards: readonly Card[], card: Card): number {
  return cards.filter((each) => each === card).length;
}
