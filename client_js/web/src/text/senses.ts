/**
 * The offer of sound: words that are apart from the others, since only the table shows them (see
 * `howTo.ts`).
 */

import { language } from "./index.ts";
import { de } from "./senses.de.ts";
import { en } from "./senses.en.ts";

export type SensesWords = typeof en;

/** The same in every language. */
export const sensesCatalogues = { en, de };

/** The words, in the language of `text`. */
export function sensesWords(): SensesWords {
  return sensesCatalogues[language];
}
