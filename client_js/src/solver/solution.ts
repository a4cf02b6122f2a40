/** A solver's answer: the verdict on a board, and the best line of moves found. */

import type { Move } from "../rules/ruleset.ts";

/**
 * Whether a board can be won with full knowledge of the cards: some line wins; provably none does;
 * or the budget was exhausted first.
 */
export type Verdict = "winnable" | "impossible" | "unknown";

/** The answer to a board. */
export interface Solution {
  /** Whether the board can be won. */
  readonly verdict: Verdict;
  /** The moves that win it; otherwise those that bring `home` cards to foundations. */
  readonly line: readonly Move[];
  /** The number of cards on foundations after the line, including the initial ones. */
  readonly home: number;
  /** Whether provably no line brings more cards home. */
  readonly most: boolean;
  /** A short argument why the board cannot be won; otherwise empty. */
  readonly proof: string;
  /** The difficulty of the decision; comparable only between boards of one ruleset. */
  readonly effort: number;
  /** The used part of the budget. */
  readonly steps: number;
}
