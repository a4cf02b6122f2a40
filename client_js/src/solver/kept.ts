/**
 * Games whose foundations give cards back, searched without giving any back.
 *
 * This is the twin of `engine/solver/kept.py`. A line that wins without taking cards back also wins
 * where that is allowed. A proof that no such line wins says nothing about the others, so losses
 * stay undecided.
 */

import type { Board } from "../rules/board.ts";
import { Ruleset } from "../rules/ruleset.ts";
import type { Method } from "./index.ts";
import type { Solution } from "./solution.ts";

/** Return a method for games that a search supports only without cards back. */
export function keeping(method: Method): Method {
  return {
    ...method,
    applies: (ruleset) =>
      ruleset.groups.some(({ plays }) => plays.length > 0) && method.applies(keptOf(ruleset)),
    solve: (board, budget) => undecided(method.solve(keptBoard(board), budget)),
    glance: (board) => undecided(method.glance(keptBoard(board))),
  };
}

const KEPT = new WeakMap<Ruleset, Ruleset>();

/** Return the same object each time, since searches keep their tables by ruleset. */
function keptOf(ruleset: Ruleset): Ruleset {
  const found = KEPT.get(ruleset);
  if (found !== undefined) return found;
  const { game, variant, rules } = ruleset;
  const foundations = rules.foundations.map((group) => ({ ...group, plays: [] }));
  const kept = new Ruleset(game, variant, { ...rules, foundations });
  KEPT.set(ruleset, kept);
  return kept;
}

function keptBoard(board: Board): Board {
  return { ...board, ruleset: keptOf(board.ruleset) };
}

function undecided(solution: Solution): Solution {
  if (solution.verdict === "winnable") return solution;
  return { ...solution, verdict: "unknown", most: false, proof: "" };
}
