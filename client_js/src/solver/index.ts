/**
 * Solving a board with all its cards known: whether it can be won, and by which moves.
 *
 * The rules determine the method, as in `engine/solver`, except that Golf has no method of its own here.
 */

import { type Board, cardsHome } from "../rules/board.ts";
import { isWon } from "../rules/moves.ts";
import type { Ruleset } from "../rules/ruleset.ts";
import * as beam from "./beam.ts";
import * as clearing from "./clearing.ts";
import * as graph from "./graph.ts";
import { keeping } from "./kept.ts";
import * as passes from "./passes.ts";
import * as piles from "./piles.ts";
import type { Solution } from "./solution.ts";

export type { Solution, Verdict } from "./solution.ts";

/** Solves a board within a budget, in steps; deterministic on every machine. */
export type Solve = (board: Board, budget: number) => Solution;

export type Glance = (board: Board) => Solution;

/** A method for the boards of some games. */
export interface Method {
  /** Whether it supports these rules. */
  readonly applies: (ruleset: Ruleset) => boolean;
  readonly solve: Solve;
  /** The steps that suffice for most deals of a daily. */
  readonly budget: number;
  /** A quick verdict on a sampled board. */
  readonly glance: Glance;
  /** The boards to sample for one piece of advice: half a second of glances on a laptop. */
  readonly samples: number;
  /** Whether it finds an arbitrary one of a board's many winning lines. */
  readonly manyLines?: boolean;
}

/** For most one-pack rules, and for most others. */
const SEARCHES: readonly Method[] = [
  { ...graph, budget: 3_000_000, samples: 36, manyLines: true },
  { ...beam, budget: 2_000_000, samples: 60 },
];

/** All methods; the first applicable one is used. */
const METHODS: readonly Method[] = [
  // It ignores the budget.
  { ...passes, budget: 1, glance: passes.solve, samples: 10 },
  { ...piles, budget: 10_000_000, glance: (board) => piles.solve(board, 100_000), samples: 40 },
  // For overlapping peaks.
  { ...clearing, budget: 3_000_000, samples: 40, manyLines: true },
  ...SEARCHES,
  ...SEARCHES.map(keeping),
];

/** Return the solution of a board for whose rules there is no method. */
function unsolved(board: Board): Solution {
  const verdict = isWon(board) ? "winnable" : "unknown";
  const most = verdict === "winnable";
  return { verdict, line: [], home: cardsHome(board), most, proof: "", effort: 0, steps: 0 };
}

/** For rules that no method supports. */
const NONE: Method = {
  applies: () => true,
  solve: unsolved,
  budget: 1,
  glance: unsolved,
  samples: 1,
};

export function methodOf(ruleset: Ruleset): Method {
  return METHODS.find(({ applies }) => applies(ruleset)) ?? NONE;
}

export const solve: Solve = (board, budget) => methodOf(board.ruleset).solve(board, budget);
