/** A circle's events by day. Pure functions. */

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
