/** Words for the durations of challenges. */

import { text } from "../text/index.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The most that a duration in words exceeds the actual one, as a fraction of a unit. */
const SLACK = 0.1;

/** Return milliseconds in whole days, hours or minutes, barely overstating the time left. */
export function spanWords(milliseconds: number): string {
  const { days, hours } = text.challenges;
  if (milliseconds >= 2 * DAY) return days(Math.floor(milliseconds / DAY + SLACK));
  if (milliseconds >= 2 * HOUR) return hours(Math.floor(milliseconds / HOUR + SLACK));
  return text.start.minutes(Math.max(1, Math.floor(milliseconds / MINUTE)));
}

/** Return for how long a challenge is open, from seconds: in hours up to a day. */
export function openWords(seconds: number): string {
  const { days, hours } = text.challenges;
  const whole = (seconds * 1000) / DAY;
  return whole >= 1 ? days(whole) : hours((seconds * 1000) / HOUR);
}
