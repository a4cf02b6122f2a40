/** Reactions: words that are apart from the others, since only rooms show them (see `howTo.ts`). */

import { de } from "./emotes.de.ts";
import { en } from "./emotes.en.ts";
import { language } from "./index.ts";

export type EmoteWords = typeof en;

/** The same in every language. */
export const emoteCatalogues = { en, de };

/** The words, in the language of `text`. */
export function emoteWords(): EmoteWords {
  return emoteCatalogues[language];
}
