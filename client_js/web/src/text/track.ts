/** Words for the track of a race, which are apart from the others (see `howTo.ts`). */

import { language } from "./index.ts";
import { de } from "./track.de.ts";
import { en } from "./track.en.ts";

export type TrackWords = typeof en;

/** The same in every language. */
export const trackCatalogues = { en, de };

/** The words, in the language of `text`. */
export function trackWords(): TrackWords {
  return trackCatalogues[language];
}
