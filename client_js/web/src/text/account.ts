/** The account in words. */

import { entry, refusalWords, text } from "./index.ts";

/** Why a command of the account was refused. */
export function accountRefusal(refusal: { code: string; message: string }): string {
  return entry(text.account.refusals, refusal.code) ?? refusalWords(refusal);
}

/** A day as people write it, here and now; `at` is in Unix milliseconds. */
export function momentWords(at: number): string {
  return new Date(at).toLocaleDateString(text.locale, { dateStyle: "long" });
}

/** A time of day as people write it; `at` is in Unix milliseconds. */
export function hourWords(at: number): string {
  return new Date(at).toLocaleTimeString(text.locale, { timeStyle: "short" });
}
