/** Whether a deal is a known one, by what stands where others have their seed. */

import { knownName } from "../../../../src/rules/known.ts";
import { knownWords } from "../../text/index.ts";

const SEED_DIGITS = 64;

/** The mark of a known deal; null for a deal that was drawn. */
export function markOf(seed: string): string | null {
  return seed.length === SEED_DIGITS ? null : knownWords(knownName(seed));
}
