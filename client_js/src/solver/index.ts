/**
 * Solving a board with all its cards known: can it be won, and by which moves?
 *
 * Which method fits a game follows from its rules, as in `engine/solver`.
 */

import { type Board, cardsHome } from "../rules/board.ts";
import { isWon } from "../rules/moves.ts";
import type { Ruleset } from "../rules/ruleset.ts";
import * as beam from "./beam.ts";
import * as graph from "./graph.ts";
import * as passes from "./passes.ts";
import * as piles from "./piles.ts";
import type { Solution } from "./solution.ts";

export type { Solution, Verdict } from "./solution.ts";

/** The answer to a board within a budget, in steps; the same one on every machine. */
export type Solve = (board: Board, budget: number) => Solution;

export type Glance = (board: Board) => Solution;

/** A way to solve the boards of some games. */
export interface Method {
  /** Whether it solves boards of these rules. */
  readonly applies: (ruleset: Ruleset) => boolean;
  readonly solve: Solve;
  /** The steps that suffice for most deals of a daily. */
  readonly budget: number;
  /** The verdict on a board that is only imagined, of which there are many a second. */
  readonly glance: Glance;
  /** Whether a board has many lines that win, of which the one that is found is any. */
  readonly manyLines?: boolean;
}

/** All methods; the first that applies is used. */
const METHODS: readonly Method[] = [
  // It needs no budget.
  { ...passes, budget: 1, glance: passes.solve },
  { ...piles, budget: 10_000_000, glance: (board) => piles.solve(board, 100_000) },
  // For most other rules of one pack, and for the rest.
  { ...graph, budget: 3_000_000, manyLines: true },
  { ...beam, budget: 2_000_000 },
];

/** What is known of a board of rules for which there is no method. */
function unsolved(board: Board): Solution {
  const verdict = isWon(board) ? "winnable" : "unknown";
  const most = verdict === "winnable";
  return { verdict, line: [], home: cardsHome(board), most, proof: "", effort: 0, steps: 0 };
}

/** For rules that none of them searches. */
const NONE: Method = { applies: () => true, solve: unsolved, budget: 1, glance: unsolved };

/** The method for a game. */
export function methodOf(ruleset: Ruleset): Method {
  return METHODS.find(({ applies }) => applies(ruleset)) ?? NONE;
}

/** Solve a board. */
export const solve: Solve = (board, budget) => methodOf(board.ruleset).solve(board, budget);
