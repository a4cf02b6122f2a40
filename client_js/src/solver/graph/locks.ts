/** Boards lost because face-down cards wait for each other. */

import { type Board, pileAt } from "../../rules/board.ts";
import { type Card, DOWN, PACK_SIZE, type Pile, RANKS, isDown } from "../../rules/cards.ts";
import { EMPTY } from "../../rules/ruleset.ts";
import { baseOf, isBySuit, turnsHome } from "./suits.ts";

/**
 * Whether some face-down card of the tableau can never be turned up.
 *
 * The weakest relaxation: a card that was ever face up stays within reach, as do all cards of stock
 * and waste. The lowest face-up card of a pile can leave it once a card on which it builds was face
 * up, or all cards that go home before it were; or once some pile was emptied, if empty piles take
 * the card. Then the card below is turned up. This refutes some deals that have millions of
 * positions.
 */
export function isLocked(board: Board): boolean {
  const { ruleset } = board;
  const columns = ruleset.tableau.map((pile) => pileAt(board, pile));
  const hidden = columns.flatMap((pile) => pile.filter(isDown)).map((card) => card & ~DOWN);
  if (hidden.length === 0 || ruleset.cells.length > 0 || !isBySuit(ruleset)) return false;
  const all: readonly Card[] = Array.from({ length: PACK_SIZE }, (_, card) => card);
  const seen = new Set(all.filter((card) => !hidden.includes(card)));
  let space = columns.some((pile) => pile.length === 0);
  /** The index of the lowest face-up card of each non-empty pile. */
  const waiting = new Map<Pile, number>();
  for (const pile of columns) if (pile.length > 0) waiting.set(pile, pile.filter(isDown).length);
  const turns = turnsHome(ruleset, baseOf(board));
  const suitOf = (card: Card) => Math.floor(card / RANKS.length);
  const isEarlier = (other: Card, card: Card) =>
    suitOf(other) === suitOf(card) && turns[other]! < turns[card]!;
  const canLeave = (card: Card) =>
    [...seen].some((top) => ruleset.builds(top, card)) ||
    all.every((other) => seen.has(other) || !isEarlier(other, card)) ||
    (space && ruleset.builds(EMPTY, card));
  for (let again = true; again;) {
    again = false;
    for (const [pile, first] of waiting) {
      if (!canLeave(pile[first]! & ~DOWN)) continue;
      again = true;
      if (first > 0) {
        seen.add(pile[first - 1]! & ~DOWN);
        waiting.set(pile, first - 1);
      } else {
        space = true;
        waiting.delete(pile);
      }
    }
  }
  return seen.size < PACK_SIZE;
}
