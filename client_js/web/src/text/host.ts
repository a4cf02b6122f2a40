/** Words for hosts alone, which are apart from the others (see `howTo.ts`). */

import { de } from "./host.de.ts";
import { en } from "./host.en.ts";
import { language } from "./index.ts";

export type HostWords = typeof en;

/** The same in every language. */
export const hostCatalogues = { en, de };

/** The words, in the language of `text`. */
export function hostWords(): HostWords {
  return hostCatalogues[language];
}
