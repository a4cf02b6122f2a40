/** What is known of a daily's deal: words that only its screens load (see `howTo.ts`). */

import { language } from "./index.ts";
import { de } from "./proofs.de.ts";
import { en } from "./proofs.en.ts";

export type ProofWords = typeof en;

/** The same in every language. */
export const proofCatalogues = { en, de };

/** What is known of a daily's deal, in the language of `text`. */
export function proofSentences(): ProofWords {
  return proofCatalogues[language];
}
