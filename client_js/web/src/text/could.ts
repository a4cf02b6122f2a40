/**
 * Words for what could have become of a deal, which are apart from the others, since only the pages
 * of closed deals show them (see `howTo.ts`).
 */

import { de } from "./could.de.ts";
import { en } from "./could.en.ts";
import { language } from "./index.ts";

export type CouldWords = typeof en;

/** The same in every language. */
export const couldCatalogues = { en, de };

/** Words for what could have become of a deal, in the language of `text`. */
export function couldWords(): CouldWords {
  return couldCatalogues[language];
}
