/** The cards that the guide highlights: those with a move that gains something. */

import { type View, pileAt } from "../../../../src/rules/board.ts";
import { isDown } from "../../../../src/rules/cards.ts";
import { isPair, legalMoves } from "../../../../src/rules/moves.ts";
import { apply } from "../../../../src/rules/play.ts";
import type { Move } from "../../../../src/rules/ruleset.ts";
import type { Place } from "../../board/choices.ts";

/**
 * Return the cards to tap for useful moves; without any, those that can be moved out of the way of
 * one. Empty if the player has to look further ahead.
 */
export function usefulPlaces(view: View): readonly Place[] {
  const { foundations, stock } = view.ruleset;
  // Returning cards from foundations is never suggested, and the waste is turned over by a tap on
  // the empty stock, which has no card.
  const moves = legalMoves(view).filter(
    ({ source, target }) => !foundations.includes(source) && target !== stock,
  );
  const useful = moves.filter((move) => isUseful(view, move));
  const shown = useful.length > 0 ? useful : moves.filter((move) => makesWay(view, move));
  return shown.map(({ source: pile, count }) => {
    const { length } = pileAt(view, pile);
    return { pile, index: pile === stock ? length - 1 : length - count };
  });
}

/** Whether a move goes home, deals, turns a card up, puts cards in order, or empties a place. */
function isUseful(view: View, move: Move): boolean {
  const { ruleset } = view;
  const { source, target, count } = move;
  const { foundations, cells, stock, tableau } = ruleset;
  if (foundations.includes(target) || source === stock || isPair(ruleset, move)) return true;
  if (cells.includes(target)) return false;
  const onto = pileAt(view, target).at(-1);
  // A card of a cell gains nothing from an empty column.
  if (!tableau.includes(source)) return onto !== undefined || !cells.includes(source);
  const from = pileAt(view, source);
  const below = from.at(-count - 1);
  const head = from.at(-count);
  if (below !== undefined && isDown(below)) return true;
  if (onto === undefined || head === undefined) return false;
  if (below === undefined || !ruleset.ordersTableau) return true;
  // Cards that already lie in order gain nothing from another pile, unless they then move together.
  return (
    !ruleset.builds(below, head) || (ruleset.carries(onto, head) && !ruleset.carries(below, head))
  );
}

/** Whether the card that a move exposes then has a useful move. */
function makesWay(view: View, move: Move): boolean {
  const after = apply(view, move);
  return legalMoves(after).some((next) => next.source === move.source && isUseful(after, next));
}
