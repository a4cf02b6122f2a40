/** What is known of a daily's deal, in sentences. */

import type { Certificate, Ruleset } from "@samedeal/client";
import { isForAll } from "../app/targets.ts";
import { text } from "../text/index.ts";

/** Why nothing is known of a deal that has no certificate. */
export function unsolvedWords(ruleset: Ruleset): string {
  const words = text.proofs;
  return isForAll(ruleset) ? words.unsolved : words.noPar;
}

/**
 * What there is to reach on a deal that was not played yet.
 *
 * @param best the most cards home of the runs that are over; null before there is one.
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

/** The same of a deal without a certificate, after a run with `home` cards that did not win. */
export function afterWords(ruleset: Ruleset, best: number | null, home: number): string {
  const words = text.proofs;
  const mark = best === null ? [] : [home >= best ? words.yours : words.toBeat(best)];
  return [unsolvedWords(ruleset), ...mark, words.later].join(" ");
}
