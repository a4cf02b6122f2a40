/**
 * The end of a daily, the calendar, and players' pages: words that are apart from the others, since
 * first visits show none of them (see `howTo.ts`).
 */

import type { Month } from "../kit/days.ts";
import { firstOf } from "../kit/days.ts";
import { de } from "./days.de.ts";
import { en } from "./days.en.ts";
import { language, text } from "./index.ts";

export type DaysWords = typeof en;

/** The same in every language. */
export const daysCatalogues = { en, de };

/** The end of a daily, the calendar, and players' pages, in the language of `text`. */
export function daysWords(): DaysWords {
  return daysCatalogues[language];
}

/** A day without its year, as in "21 November". */
export function shortDate(day: number): string {
  return written(day, { day: "numeric", month: "long" });
}

/** The same in less space, as in "21 Nov". */
export function briefDate(day: number): string {
  return written(day, { day: "numeric", month: "short" });
}

/** A month, as in "November 2026". */
export function monthWords(month: Month): string {
  return written(firstOf(month), { month: "long", year: "numeric" });
}

/** A day of the week in two or three letters, and whole; from 0 for Monday. */
export function weekdayWords(weekday: number): { readonly short: string; readonly long: string } {
  // 1970-01-05 was a Monday.
  const day = 4 + weekday;
  return { short: written(day, { weekday: "short" }), long: written(day, { weekday: "long" }) };
}

function written(day: number, parts: Intl.DateTimeFormatOptions): string {
  return new Date(day * 86_400_000).toLocaleDateString(text.locale, { timeZone: "UTC", ...parts });
}
