/**
 * Words for the end of a round and agreement to the next one, which are apart from the others (see
 * `howTo.ts`).
 */

import { language } from "./index.ts";
import { de } from "./rounds.de.ts";
import { en } from "./rounds.en.ts";

export type RoundsWords = typeof en;

/** The same in every language. */
export const roundsCatalogues = { en, de };

/** The words, in the language of `text`. */
export function roundsWords(): RoundsWords {
  return roundsCatalogues[language];
}
