/**
 * The leaderboards: words that are apart from the others, since only what shows leaderboards needs
 * them (see `howTo.ts`).
 */

import { de } from "./boards.de.ts";
import { en } from "./boards.en.ts";
import { language } from "./index.ts";

export type BoardWords = typeof en;

/** The same in every language. */
export const boardCatalogues = { en, de };

/** The leaderboards, in the language of `text`. */
export function boardWords(): BoardWords {
  return boardCatalogues[language];
}
