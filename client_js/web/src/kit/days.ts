/** UTC days as the server counts them, from 1970-01-01; their dates and months. */

import type { ApiTypes } from "@samedeal/client";

const DAY = 86_400_000;

/** The number of a month; 1970-01 is 0. */
export type Month = number;

/** Return a day's date, such as `2026-11-21`. */
export function isoOf(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}

/** Parse a date such as `2026-11-21`; null if invalid. */
export function dayOf(date: string): number | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(date)) return null;
  const day = Date.parse(`${date}T00:00:00Z`) / DAY;
  // Some engines accept the 30th of February as a day in March.
  return Number.isInteger(day) && isoOf(day) === date ? day : null;
}

export function monthOf(day: number): Month {
  const date = new Date(day * DAY);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

export function firstOf(month: Month): number {
  return Date.UTC(1970, month, 1) / DAY;
}

/** Return a month's weeks, from Monday to Sunday; null for days of other months. */
export function weeksOf(month: Month): (number | null)[][] {
  const [first, end] = [firstOf(month), firstOf(month + 1)];
  const monday = first - weekdayOf(first);
  const weekOf = (start: number): (number | null)[] =>
    [0, 1, 2, 3, 4, 5, 6]
      .map((weekday) => start + weekday)
      .map((day) => (day >= first && day < end ? day : null));
  return Array.from({ length: Math.ceil((end - monday) / 7) }, (_, nth) =>
    weekOf(monday + 7 * nth),
  );
}

/** Return the day of the week, from 0 for Monday. */
export function weekdayOf(day: number): number {
  // 1970-01-01 was a Thursday.
  return (((day + 3) % 7) + 7) % 7;
}

export interface DayPlayed {
  /** The number of games that brought a card home, and so count as played. */
  readonly played: number;
  readonly won: number;
  readonly results: readonly (ApiTypes.PlayedDay & { readonly game: string; total: number })[];
}

export function playedBy(played: readonly ApiTypes.PlayedGame[]): ReadonlyMap<number, DayPlayed> {
  const found = new Map<number, DayPlayed>();
  for (const { game, dailies } of played) {
    for (const result of dailies.days) {
      const before = found.get(result.day) ?? { played: 0, won: 0, results: [] };
      found.set(result.day, {
        played: before.played + Number(result.points > 0),
        won: before.won + Number(result.end === "won"),
        results: [...before.results, { ...result, game, total: dailies.total }],
      });
    }
  }
  return found;
}

export function setOf(
  sets: readonly ApiTypes.DailySet[],
  day: number,
): ApiTypes.DailySet | undefined {
  return sets.findLast(({ since }) => since <= day) ?? sets[0];
}

/** Return how many of a day's crowns a player has earned, each by playing all of its games. */
export function crownsEarned(
  done: DayPlayed | undefined,
  crowns: readonly ApiTypes.DailyCrown[] | undefined,
): number {
  const counted = done?.results.filter(({ points }) => points > 0).map(({ game }) => game) ?? [];
  const earned = crowns?.filter(({ games }) => games.every((game) => counted.includes(game)));
  return earned?.length ?? 0;
}

/** Return the days in streaks of two or more, with those lost by the server's fault between. */
export function inRow(
  played: ReadonlyMap<number, DayPlayed>,
  repaired: readonly number[],
): ReadonlySet<number> {
  const counts = [...played].filter(([, day]) => day.played > 0).map(([day]) => day);
  counts.sort((one, other) => one - other);
  const found = new Set<number>();
  counts.forEach((day, nth) => {
    const before = counts[nth - 1];
    if (before === undefined) return;
    const between = Array.from({ length: day - before - 1 }, (_, gap) => before + 1 + gap);
    if (!between.every((missed) => repaired.includes(missed))) return;
    for (const each of [before, ...between, day]) found.add(each);
  });
  return found;
}
