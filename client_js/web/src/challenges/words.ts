/** Spans of challenges in words. */

import { text } from "../text/index.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How much of a unit may be missing where a span is said in whole units. */
const SLACK = 0.1;

/** A span in milliseconds, in whole days, hours or minutes: of what is left, hardly too much. */
export function spanWords(milliseconds: number): string {
  const { days, hours } = text.challenges;
  if (milliseconds >= 2 * DAY) return days(Math.floor(milliseconds / DAY + SLACK));
  if (milliseconds >= 2 * HOUR) return hours(Math.floor(milliseconds / HOUR + SLACK));
  return text.start.minutes(Math.max(1, Math.floor(milliseconds / MINUTE)));
}

/** A span that a challenge is open, in seconds: of hours up to a day. */
export function openWords(seconds: number): string {
  const { days, hours } = text.challenges;
  const whole = (seconds * 1000) / DAY;
  return whole >= 1 ? days(whole) : hours((seconds * 1000) / HOUR);
}
