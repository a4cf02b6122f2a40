/** A solver for nearly finished boards: it tries every line. */

import { type Board, cardsHome } from "../../src/rules/board.ts";
import { legalMoves, isWon } from "../../src/rules/moves.ts";
import { apply } from "../../src/rules/play.ts";
import type { Move } from "../../src/rules/ruleset.ts";
import { keyOf } from "../../src/solver/known.ts";
import type { Solution } from "../../src/solver/solution.ts";

/** Return the best line of all; unknown after `budget` boards. */
export function exhaust(board: Board, budget: number): Solution {
  const met = new Set<string>();
  let best: { readonly home: number; readonly line: readonly Move[] } = {
    home: cardsHome(board),
    line: [],
  };
  const visit = (from: Board, line: readonly Move[]): void => {
    const key = keyOf(from);
    if (met.has(key)) return;
    met.add(key);
    if (cardsHome(from) > best.home) best = { home: cardsHome(from), line };
    for (const move of legalMoves(from)) {
      if (met.size >= budget) return;
      visit(apply(from, move), [...line, move]);
    }
  };
  visit(board, []);
  const whole = met.size < budget;
  const won = best.home === board.ruleset.total || isWon(board);
  return {
    verdict: won ? "winnable" : whole ? "impossible" : "unknown",
    ...best,
    most: won || whole,
    ...{ proof: whole && !won ? "all lines" : "", effort: met.size, steps: met.size },
  };
}
