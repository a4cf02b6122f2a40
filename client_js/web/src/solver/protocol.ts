/** The page's questions to the solver's worker, and its answers, as cloneable values. */

import type { Layout } from "../../../src/rules/board.ts";
import type { Review } from "../../../src/solver/review.ts";
import type { Verdict } from "../../../src/solver/solution.ts";

export type { Review } from "../../../src/solver/review.ts";

export interface RulesName {
  readonly game: string;
  readonly variant: string;
  readonly rules: string;
}

/** A layout as cloneable values, without its rules. */
export type Laid = Pick<Layout, "piles" | "redeals" | "moves">;

/** The question for a good move, based on the player's knowledge. */
export interface AskAdvice extends RulesName {
  readonly kind: "advice";
  /** The layouts of the game so far, the current one last. */
  readonly layouts: readonly Laid[];
  /** The number of the last layout on a line known to win, or null. */
  readonly winnable: number | null;
  /** Whether a search from an earlier layout was in vain, so that less effort is due. */
  readonly vain: boolean;
}

/** The question for the prospects of a deal, and of a run after each of its moves. */
export interface AskReview extends RulesName {
  readonly kind: "review";
  /** Hexadecimal. */
  readonly seed: string;
  /** The texts of the run's moves, without undone ones; empty for the deal alone. */
  readonly moves: readonly string[];
  /** A line known to win, or null. */
  readonly line: readonly string[] | null;
}

/** The question for the first of these deals that is found to be winnable with little effort. */
export interface AskDeal extends RulesName {
  readonly kind: "deal";
  /** Hexadecimal. */
  readonly seeds: readonly string[];
}

export type Ask = AskAdvice | AskReview | AskDeal;

export type Answer =
  | {
      readonly kind: "advice";
      /** A move's text; null if no useful move is known. */
      readonly move: string | null;
      readonly wins: number;
      readonly samples: number;
      readonly certain: boolean;
      readonly guess: boolean;
      readonly verdict: Verdict;
      /** The moves of a line that wins, with all cards known; empty if there is none. */
      readonly line: readonly string[];
      /** The number of undos to the last layout known to be winnable, or null. */
      readonly undos: number | null;
    }
  /** The findings so far; the last answer is `done`. */
  | { readonly kind: "review"; readonly review: Review; readonly done: boolean }
  /** The winnable deal's seed; null if none was found. */
  | { readonly kind: "deal"; readonly seed: string | null }
  | { readonly kind: "failed"; readonly message: string };

export function isLast(answer: Answer): boolean {
  return answer.kind !== "review" || answer.done;
}
