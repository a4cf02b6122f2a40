/** The player's account: words that only its page shows (see `howTo.ts`). */

import { de } from "./account.de.ts";
import { en } from "./account.en.ts";
import { language, refusalWords, text } from "./index.ts";

export type AccountWords = typeof en;

/** The same in every language. */
export const accountCatalogues = { en, de };

/** The words of the account, in the language of `text`. */
export function accountWords(): AccountWords {
  return accountCatalogues[language];
}

/** Why a command of the account was refused. */
export function accountRefusal(refusal: { code: string; message: string }): string {
  return accountWords().refusals[refusal.code] ?? refusalWords(refusal);
}

/** A day as people write it, here and now; `at` is in Unix milliseconds. */
export function momentWords(at: number): string {
  return new Date(at).toLocaleDateString(text.locale, { dateStyle: "long" });
}

/** A time of day as people write it; `at` is in Unix milliseconds. */
export function hourWords(at: number): string {
  return new Date(at).toLocaleTimeString(text.locale, { timeStyle: "short" });
}
