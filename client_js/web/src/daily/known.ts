/** Sentences about the facts known of a daily's deal. */

import type { Certificate, Ruleset } from "@samedeal/client";
import { isForAll } from "../app/targets.ts";
import { text } from "../text/index.ts";

/** Return why a deal without a certificate is unsolved. */
export function unsolvedWords(ruleset: Ruleset): string {
  const words = text.proofs;
  return isForAll(ruleset) ? words.unsolved : words.noPar;
}

/**
 * Return the best possible results on an unplayed deal.
 *
 * @param best the most cards home in finished runs; null without one.
 */
export function beforeWords(
  ruleset: Ruleset,
  certificate: Certificate | null,
  best: number | null,
): string {
  const words = text.proofs;
  if (certificate !== null) {
    return certificate.winnable ? words.canBeWon : words.par(certificate.par);
  }
  return `${unsolvedWords(ruleset)} ${best === null ? words.first : words.toBeat(best)}`;
}
