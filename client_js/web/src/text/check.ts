/**
 * How a deal is checked: words that are apart from the others, since only who checks one sees
 * them (see `howTo.ts`).
 */

import { de } from "./check.de.ts";
import { en } from "./check.en.ts";
import { language } from "./index.ts";

export type CheckWords = typeof en;

/** The same in every language. */
export const checkCatalogues = { en, de };

/** How a deal is checked, in the language of `text`. */
export function checkWords(): CheckWords {
  return checkCatalogues[language];
}
