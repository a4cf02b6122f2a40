/**
 * A staged beam search, for games without an exact method.
 *
 * This is the twin of `engine/solver/beam`, with the same answers. If a beam finds no win, the
 * search restarts with a wider one and other weights. A search that dropped no positions has seen
 * everything reachable: if it used only sound prunings and found no win, the board cannot be won.
 */

import { type Board, cardsHome } from "../rules/board.ts";
import { ENDLESS, type Move, type Ruleset } from "../rules/ruleset.ts";
import { type Plan, narrowPlan, plansOf, wholePlan } from "./beam/plans.ts";
import { Search } from "./beam/search.ts";
import { Tables, isWay } from "./beam/tables.ts";
import { randomFrom } from "./random.ts";
import type { Solution, Verdict } from "./solution.ts";

/** The least and most positions held in memory, powers of 2; the most take 20 MB. */
const FEW_ROWS = 1 << 12;
const MANY_ROWS = 1 << 16;

/** More positions than a narrow beam needs. */
const GLANCE = 1 << 13;

const PROOF = "All positions that can be reached were searched.";

/** Whether the search's tables can represent the rules. */
export function applies(ruleset: Ruleset): boolean {
  const { rules, groups, reserve, cells, peaks, pairs, clears } = ruleset;
  // Either all runs go home automatically, or none does.
  const takers = groups.filter(({ takes }) => takes === "run").map(({ automatic }) => automatic);
  return (
    isWay(ruleset.moves) &&
    !ruleset.clears &&
    new Set(takers).size <= 1 &&
    rules.stock.turns === 1 &&
    ruleset.redeals < ENDLESS &&
    reserve.length + cells.length === 0 &&
    !groups.some(({ first, plays }) => first === "same" || plays.length > 0) &&
    !(peaks !== null || pairs || clears)
  );
}

/** Search for a winning line, generating at most about `budget` positions. */
export function solve(board: Board, budget: number): Solution {
  const search = searchFor(board.ruleset, budget);
  const plans = plansOf(board.ruleset, search.tables.regular, randomFrom(1));
  return searched(search, board, budget, plans);
}

/** Return the findings of a narrow beam. */
export function glance(board: Board): Solution {
  const search = searchFor(board.ruleset, GLANCE);
  return searched(search, board, GLANCE, [narrowPlan(board.ruleset, search.tables.regular)]);
}

/** Run one beam after the other. */
function searched(search: Search, board: Board, budget: number, plans: Iterable<Plan>): Solution {
  const { tables } = search;
  let best: { home: number; line: readonly Move[] } = { home: cardsHome(board), line: [] };
  let verdict: Verdict = "unknown";
  let effort = 0;
  search.steps = 0;

  /** Run a beam, and return whether it found no win although it dropped no positions. */
  function run(plan: Plan): boolean {
    const line = search.run(board, plan, budget);
    effort = plan.width;
    if (search.home > best.home) {
      best = { home: search.home, line: line.map((move) => tables.move(move)) };
    }
    if (best.home === tables.total) verdict = "winnable";
    return !search.cut && verdict === "unknown";
  }

  for (const plan of plans) {
    const complete = run(plan);
    if (complete && search.steps < budget) {
      // Only heuristic prunings dropped positions, so an exhaustive search is small.
      if (run(wholePlan(plan.weights, tables.regular))) verdict = "impossible";
    }
    if (verdict !== "unknown" || search.steps >= budget) break;
  }
  return {
    ...{ verdict, ...best, most: verdict !== "unknown" },
    proof: verdict === "impossible" ? PROOF : "",
    ...{ effort, steps: search.steps },
  };
}

/** The last used search: a worker mostly searches boards of one game. */
let last: Search | null = null;

function searchFor(ruleset: Ruleset, budget: number): Search {
  const needed = 2 ** Math.ceil(Math.log2(2 * budget));
  const rows = Math.max(FEW_ROWS, Math.min(MANY_ROWS, needed));
  if (last?.tables.ruleset !== ruleset || last.capacity !== rows) {
    const tables = last?.tables.ruleset === ruleset ? last.tables : new Tables(ruleset);
    // Release the previous search's memory first.
    last = null;
    last = new Search(tables, rows);
  }
  return last;
}
