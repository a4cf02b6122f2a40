/** What has happened in a circle, by days. Pure. */

import type { FeedItem } from "@samedeal/client";

const DAY = 86_400_000;

/** What happened on a UTC day. */
interface Happened {
  readonly day: number;
  readonly happened: readonly FeedItem[];
}

/** The items of a feed by their UTC days, in their order. */
export function daysOf(items: readonly FeedItem[]): Happened[] {
  const days = new Map<number, FeedItem[]>();
  for (const item of items) {
    const day = Math.floor(item.at / DAY);
    days.set(day, [...(days.get(day) ?? []), item]);
  }
  return [...days].map(([day, happened]) => ({ day, happened }));
}
