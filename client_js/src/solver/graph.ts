/**
 * A search through the positions of games of one pack whose stock, if any, is dealt to the waste.
 *
 * This is `engine/solver/graph`, which gives the same answers within a budget. All cards are known,
 * so dealing and turning the waste over make no position of their own: a move takes any card of
 * stock or waste that dealing can bring up, and the deals come before it in the line. Other moves are
 * left out where another one does as well.
 *
 * First, short searches look for a line that wins: in turn, one that expands the most promising
 * position first, and one that goes as deep as it can and tries moves in a random order: what one of
 * them misses, the next may find at once. What is left of the budget goes to a long search. Each of
 * them that has seen all positions without a win proves that there is none.
 */

import { type Board, cardsHome } from "../rules/board.ts";
import { isWon } from "../rules/moves.ts";
import type { Move } from "../rules/ruleset.ts";
import { SCALE, LOG_NORMAL } from "./beam/plans.ts";
import { WEIGHTS, type Weights } from "./graph/evaluation.ts";
import { lineOf } from "./graph/lines.ts";
import { isLocked } from "./graph/locks.ts";
import { saltFrom } from "./graph/noise.ts";
import { LONG_LINE, SHORT_LINE, Search } from "./graph/search.ts";
import { baseOf } from "./graph/suits.ts";
import { Tables, fitsTables } from "./graph/tables.ts";
import { type Random, randomFrom } from "./random.ts";
import type { Solution, Verdict } from "./solution.ts";

/**
 * How many positions a search generates at the most: the first one, and each of the other short
 * ones.
 */
export interface Sizes {
  readonly first: number;
  readonly short: number;
}

const SIZES: Sizes = { first: 20_000, short: 10_000 };

/** How many positions a glance generates at the most. */
const GLANCE = 1_000;

/** How many digests a short search has room for, and a long one at the least and the most: 32 MB. */
const SHORT_SEEN = 1 << 16;
const FEW_SEEN = 1 << 10;
const MANY_SEEN = 1 << 22;

/**
 * Short searches go on until the budget divided by the first number is used up; then comes a long
 * one, which gets the budget divided by the second, or what is left of it.
 */
const SHARES = [
  [100, 20],
  [4, 1],
] as const;

const LOCKED = "Cards wait for one another to be turned up.";
const PROOF = "All positions that can be reached were searched.";

/** Whether boards of these rules can be searched. */
export const applies = fitsTables;

/**
 * Search for a line that wins, or for a proof that there is none.
 *
 * @param budget how many positions to generate at the most.
 */
export function solve(board: Board, budget: number, sizes = SIZES): Solution {
  return solutionOf(board, budget, (searches) => {
    const chance = randomFrom(1);
    searches.bestFirst(sizes.first, WEIGHTS);
    for (const [short, long] of SHARES) {
      while (searches.isOpen && searches.steps < Math.floor(budget / short)) {
        if (searches.number % 2 === 1) searches.depthFirst(sizes.short, chance);
        else searches.bestFirst(sizes.short, varied(chance));
      }
      if (searches.isOpen) searches.exhaust(Math.floor(budget / long));
    }
  });
}

/** The findings of one short search. */
export function glance(board: Board): Solution {
  return solutionOf(board, GLANCE, (searches) => searches.bestFirst(GLANCE, WEIGHTS));
}

/** The weights, each times a random factor about 1. */
function varied(chance: Random): Weights {
  const factors = Object.entries(WEIGHTS).map(([name, weight]) => {
    return [name, Math.floor((weight * LOG_NORMAL[(chance() >> 8) & 63]!) / SCALE)];
  });
  return Object.fromEntries(factors) as Weights;
}

/** What searches find on a board that is neither won nor lost at a glance. */
function solutionOf(board: Board, budget: number, run: (searches: Searches) => void): Solution {
  const none = { line: [], home: cardsHome(board), proof: "", effort: 0, steps: 0 };
  if (isWon(board)) return { ...none, verdict: "winnable", most: true };
  if (isLocked(board)) return { ...none, verdict: "impossible", most: false, proof: LOCKED };
  const searches = new Searches(board, budget);
  run(searches);
  return searches.solution();
}

/** The searches from one board, and what they found. */
class Searches {
  /** How many there were. */
  number = 0;
  /** How many positions they generated. */
  steps = 0;
  private verdict: Verdict = "unknown";
  private line: readonly Move[] = [];
  private home: number;
  private readonly search: Search;
  private readonly board: Board;
  private readonly budget: number;

  constructor(board: Board, budget: number) {
    this.board = board;
    this.budget = budget;
    this.home = cardsHome(board);
    this.search = searchFor(board);
  }

  /** Whether nothing is known of the board, and some of the budget is left. */
  get isOpen(): boolean {
    return this.verdict === "unknown" && this.steps < this.budget;
  }

  /** Expand the most promising positions first until so many were generated. */
  bestFirst(steps: number, weights: Weights): void {
    const bounds = { steps: this.left(steps), seen: SHORT_SEEN, moves: SHORT_LINE };
    this.search.bestFirst(this.board, bounds, weights);
    this.end();
  }

  /** Search in a random order until so many positions were generated. */
  depthFirst(steps: number, chance: Random): void {
    const bounds = { steps: this.left(steps), seen: SHORT_SEEN, moves: SHORT_LINE };
    this.search.depthFirst(this.board, bounds, saltFrom(chance));
    this.end();
  }

  /** Search with a large memory until so many positions were generated. */
  exhaust(steps: number): void {
    const most = this.left(steps);
    const needed = 2 ** (32 - Math.clz32(most + Math.floor(most / 4)));
    const seen = Math.min(MANY_SEEN, Math.max(FEW_SEEN, needed));
    this.search.depthFirst(this.board, { steps: most, seen, moves: LONG_LINE }, null);
    this.end();
  }

  private left(steps: number): number {
    return Math.min(steps, this.budget - this.steps);
  }

  /** Count a search, keep its line, and draw its conclusion. */
  private end(): void {
    const { search } = this;
    this.number += 1;
    this.steps += search.steps;
    if (search.home > this.home) {
      this.home = search.home;
      this.line = lineOf(this.board, search.tables, search.line);
    }
    if (this.home === search.tables.total) this.verdict = "winnable";
    else if (!search.cut) this.verdict = "impossible";
  }

  solution(): Solution {
    const { verdict, line, home, number, steps } = this;
    return {
      ...{ verdict, line, home, most: verdict === "winnable" },
      proof: verdict === "impossible" ? PROOF : "",
      ...{ effort: number, steps },
    };
  }
}

/** The search that was used last: a worker mostly searches boards of one game. */
let last: Search | null = null;

/** A search of the boards of a ruleset. */
function searchFor(board: Board): Search {
  const base = baseOf(board);
  if (last?.tables.ruleset !== board.ruleset || last.tables.base !== base) {
    // The memory of the one before is free for this one.
    last = null;
    last = new Search(new Tables(board.ruleset, base));
  }
  return last;
}
