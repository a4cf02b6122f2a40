/** The page's questions to the solver's worker, and its answers, as cloneable values. */

import type { Layout } from "../../../src/rules/board.ts";
import type { Review } from "../../../src/solver/review.ts";

export type { Review } from "../../../src/solver/review.ts";

export interface RulesName {
  readonly game: string;
  readonly variant: string;
  readonly rules: string;
}

/** The question for a good move, based on the player's knowledge. */
export interface AskAdvice extends RulesName, Pick<Layout, "piles" | "redeals" | "moves"> {
  readonly kind: "advice";
  /** The keys of the previous layouts. */
  readonly been: readonly string[];
  /** The time limit in milliseconds. */
  readonly time: number;
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

export type Ask = AskAdvice | AskReview;

export type Answer =
  | {
      readonly kind: "advice";
      /** A move's text; null if no useful move is known. */
      readonly move: string | null;
      readonly wins: number;
      readonly samples: number;
      readonly certain: boolean;
    }
  /** The findings so far; the last answer is `done`. */
  | { readonly kind: "review"; readonly review: Review; readonly done: boolean }
  | { readonly kind: "failed"; readonly message: string };

export function isLast(answer: Answer): boolean {
  return answer.kind !== "review" || answer.done;
}
