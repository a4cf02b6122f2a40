/** The search for dead ends, which is loaded after a player's first move. */

import type { Layout } from "../../../src/rules/board.ts";
import { isDeadEnd } from "../../../src/rules/deadEnd.ts";
import { legalMoves } from "../../../src/rules/moves.ts";
import { knownOf } from "../../../src/solver/known.ts";

/** The most moves on a board that is searched, as on the server. */
const FEW_MOVES = 6;

/** Whether no line of moves is known to bring another card home, or to turn one up. */
export function isCutOff(board: Layout): boolean {
  return legalMoves(board).length <= FEW_MOVES && isDeadEnd(knownOf(board));
}
