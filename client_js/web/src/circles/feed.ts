/** A circle's events by day, and their crowns. Pure functions. */

import type { FeedItem } from "@samedeal/client";

const DAY = 86_400_000;

/** The events of a UTC day. */
interface Happened {
  readonly day: number;
  readonly happened: readonly FeedItem[];
}

/** Group a feed's items by UTC day, in order. */
export function daysOf(items: readonly FeedItem[]): Happened[] {
  const days = new Map<number, FeedItem[]>();
  for (const item of items) {
    const day = Math.floor(item.at / DAY);
    days.set(day, [...(days.get(day) ?? []), item]);
  }
  return [...days].map(([day, happened]) => ({ day, happened }));
}

/** The crowns earned on a day, as a sentence names them: `both`, an id, or empty for the only one. */
export function crownOf(crowns: readonly string[]): string {
  return crowns.length > 1 ? "both" : (crowns[0] ?? "");
}
