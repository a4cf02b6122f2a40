/** Recognizes known deals by the value in place of a seed. */

import { knownName } from "../../../../src/rules/known.ts";
import { knownWords } from "../../text/index.ts";

const SEED_DIGITS = 64;

/** Return the mark of a known deal; null for a random deal. */
export function markOf(seed: string): string | null {
  return seed.length === SEED_DIGITS ? null : knownWords(knownName(seed));
}
