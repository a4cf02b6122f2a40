/**
 * The words for watching a race: apart from the others, since few screens show them (see
 * `howTo.ts`).
 */

import { language } from "./index.ts";
import { de } from "./watch.de.ts";
import { en } from "./watch.en.ts";

export type WatchWords = typeof en;

/** The same in every language. */
export const watchCatalogues = { en, de };

/** The words for watching, in the language of `text`. */
export function watchWords(): WatchWords {
  return watchCatalogues[language];
}
