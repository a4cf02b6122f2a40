/**
 * What there is to celebrate about an end: words that are apart from the others, since only an end
 * shows them (see `howTo.ts`).
 */

import { de } from "./moments.de.ts";
import { en } from "./moments.en.ts";
import { language } from "./index.ts";

export type MomentsWords = typeof en;

/** The same in every language. */
export const momentsCatalogues = { en, de };

/** The words, in the language of `text`. */
export function momentsWords(): MomentsWords {
  return momentsCatalogues[language];
}
