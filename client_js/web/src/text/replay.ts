/**
 * Replays of runs, and the page of a deal: words that are apart from the others, since only the
 * pages of runs and deals show them (see `howTo.ts`).
 */

import { de } from "./replay.de.ts";
import { en } from "./replay.en.ts";
import { language } from "./index.ts";

export type ReplayWords = typeof en;

/** The same in every language. */
export const replayCatalogues = { en, de };

/** Replays of runs, and the page of a deal, in the language of `text`. */
export function replayWords(): ReplayWords {
  return replayCatalogues[language];
}
