/** Questions of the page to the solver's worker, and its answers, as values that can be sent. */

import type { Layout } from "../../../src/rules/board.ts";
import type { Review } from "../../../src/solver/review.ts";

export type { Review } from "../../../src/solver/review.ts";

/** Rules by name, as they are stored. */
export interface RulesName {
  readonly game: string;
  readonly variant: string;
  readonly rules: string;
}

/** The question for a good move, by what the player knows. */
export interface AskAdvice extends RulesName, Pick<Layout, "piles" | "redeals" | "moves"> {
  readonly kind: "advice";
  /** The keys of the layouts before. */
  readonly been: readonly string[];
  /** How long to think, in milliseconds. */
  readonly time: number;
}

/** How far could a deal have gone, and a run on it after each of its moves? */
export interface AskReview extends RulesName {
  readonly kind: "review";
  /** In hexadecimal. */
  readonly seed: string;
  /** The texts of the run's moves, without those that were taken back; none for the deal alone. */
  readonly moves: readonly string[];
  /** A line that is known to win; null if none is. */
  readonly line: readonly string[] | null;
}

export type Ask = AskAdvice | AskReview;

export type Answer =
  | {
      readonly kind: "advice";
      /** A move's text; null if none is known to get further. */
      readonly move: string | null;
      readonly wins: number;
      readonly samples: number;
      readonly certain: boolean;
    }
  /** The findings so far; the last one is `done`. */
  | { readonly kind: "review"; readonly review: Review; readonly done: boolean }
  | { readonly kind: "failed"; readonly message: string };

/** Whether no more answers follow this one. */
export function isLast(answer: Answer): boolean {
  return answer.kind !== "review" || answer.done;
}
