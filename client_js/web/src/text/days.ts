/** Words for days, and for results compared with others. */

import type { Month } from "../kit/days.ts";
import { firstOf } from "../kit/days.ts";
import { capitalised, text } from "./index.ts";

/** Return a day without its year, such as "21 November". */
export function shortDate(day: number): string {
  return written(day, { day: "numeric", month: "long" });
}

/** Return the same abbreviated, such as "21 Nov". */
export function briefDate(day: number): string {
  return written(day, { day: "numeric", month: "short" });
}

/** Return that the unfinished attempt of an earlier day is shown. */
export function stillWords(day: number): string {
  return text.days.still(shortDate(day));
}

/** Return a month, such as "November 2026". */
export function monthWords(month: Month): string {
  return written(firstOf(month), { month: "long", year: "numeric" });
}

/** Return a weekday abbreviated to two or three letters, and in full; 0 is Monday. */
export function weekdayWords(weekday: number): { readonly short: string; readonly long: string } {
  // 1970-01-05 was a Monday.
  const day = 4 + weekday;
  return { short: written(day, { weekday: "short" }), long: written(day, { weekday: "long" }) };
}

/** Return a moment in Unix milliseconds in local time, such as "Mon 30 Nov, 21:00". */
export function timeWords(moment: number): string {
  return new Date(moment).toLocaleString(text.locale, {
    ...{ weekday: "short", day: "numeric", month: "short" },
    ...{ hour: "2-digit", minute: "2-digit" },
  });
}

/** Return words for the difference from most players and the own average, where known. */
export function againstWords(most: number | null, average: number | null): string {
  const words = text.days.against;
  const than = (more: number) => (more > 0 ? "more" : more < 0 ? "fewer" : "equal");
  const first = most === null ? null : words.most(Math.abs(most), than(most));
  let sentence = first;
  if (average !== null) {
    const cards = Math.abs(average);
    sentence =
      first === null
        ? words.average(cards, than(average))
        : words.both(first, cards, than(average));
  }
  return sentence === null ? "" : `${capitalised(sentence)}.`;
}

function written(day: number, parts: Intl.DateTimeFormatOptions): string {
  return new Date(day * 86_400_000).toLocaleDateString(text.locale, { timeZone: "UTC", ...parts });
}
