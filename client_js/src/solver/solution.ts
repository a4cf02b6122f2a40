/** The answer of a solver: the verdict on a board, and the best line of moves that it found. */

import type { Move } from "../rules/ruleset.ts";

/**
 * Whether a board can be won by somebody who knows every card: a line of moves wins it; none does,
 * which is proved; or the budget was used up, and neither was found.
 */
export type Verdict = "winnable" | "impossible" | "unknown";

/** The answer to a board. */
export interface Solution {
  /** Whether the board can be won. */
  readonly verdict: Verdict;
  /** The moves that win it; else those that bring `home` cards to foundations. */
  readonly line: readonly Move[];
  /** The number of cards on foundations after the line, with those that were there before. */
  readonly home: number;
  /** Whether it is proved that no line brings more cards home. */
  readonly most: boolean;
  /** For a board that cannot be won, the argument, in a few words; else empty. */
  readonly proof: string;
  /** How hard it was to decide; comparable only between boards of one ruleset. */
  readonly effort: number;
  /** How much of the budget was used. */
  readonly steps: number;
}
