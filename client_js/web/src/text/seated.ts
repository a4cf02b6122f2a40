/** Words for who waits in a room, for friends or the next opponent: apart, as in `howTo.ts`. */

import { language } from "./index.ts";
import { de } from "./seated.de.ts";
import { en } from "./seated.en.ts";

export type SeatedWords = typeof en;

/** The same in every language. */
export const seatedCatalogues = { en, de };

/** The words, in the language of `text`. */
export function seatedWords(): SeatedWords {
  return seatedCatalogues[language];
}
