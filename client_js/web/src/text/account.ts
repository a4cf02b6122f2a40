/** Words for the account. */

import { entry, refusalWords, text } from "./index.ts";

export function accountRefusal(refusal: { code: string; message: string }): string {
  return entry(text.account.refusals, refusal.code) ?? refusalWords(refusal);
}

/** Return a local date in words; `at` is in Unix milliseconds. */
export function momentWords(at: number): string {
  return new Date(at).toLocaleDateString(text.locale, { dateStyle: "long" });
}

/** Return a local time of day; `at` is in Unix milliseconds. */
export function hourWords(at: number): string {
  return new Date(at).toLocaleTimeString(text.locale, { timeStyle: "short" });
}
