/** The sentence after a lost run of a daily without a certificate. */

import type { Ruleset } from "@samedeal/client";
import { text } from "../text/index.ts";
import { unsolvedWords } from "./known.ts";

/**
 * Return the known facts about the deal, and whether the run's mark stands.
 *
 * @param best the most cards home in finished runs; null without one.
 * @param home the cards that the run brought home.
 */
export function afterWords(ruleset: Ruleset, best: number | null, home: number): string {
  const words = text.proofs;
  const later = text.days.unsolved;
  const mark = best === null ? [] : [home >= best ? later.yours : words.toBeat(best)];
  return [unsolvedWords(ruleset), ...mark, later.later].join(" ");
}
