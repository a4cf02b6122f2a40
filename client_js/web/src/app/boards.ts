/** Leaderboards: the available ones, their periods, and a player's place. */

import type { Leaderboard } from "@samedeal/client";
import { text } from "../text/index.ts";

export type Scope = Leaderboard["scope"];
export type Group = Leaderboard["group"];

export const SCOPES = ["day", "week", "wins", "best", "rating", "races"] as const;

export const ALL_GAMES = "all";

const DAY = 86_400_000;

/** Whether a leaderboard exists per period, and for guests. */
export function isPeriodic(scope: Scope): boolean {
  return scope === "day" || scope === "week";
}

/** Whether entries are results rather than numbers. */
export function isOfResults(scope: Scope, game: string): boolean {
  return scope === "best" || (scope === "day" && game !== ALL_GAMES);
}

export function periodOf(scope: "day" | "week", day: number): number {
  // 1970-01-01 was a Thursday.
  return scope === "day" ? day : Math.floor((day + 3) / 7);
}

export function mondayOf(week: number): number {
  return week * 7 - 3;
}

/** Return a period as in the HTTP interface's addresses: `2026-11-21`, `2026-W47`, or `all`. */
export function periodName(scope: Scope, period: number): string {
  if (!isPeriodic(scope)) return "all";
  if (scope === "day") return new Date(period * DAY).toISOString().slice(0, 10);
  // A week belongs to the year of its Thursday.
  const thursday = mondayOf(period) + 3;
  const year = new Date(thursday * DAY).getUTCFullYear();
  const week = 1 + Math.floor((thursday - Date.UTC(year, 0, 1) / DAY) / 7);
  return `${year}-W${String(week).padStart(2, "0")}`;
}

/** Return the percentage of others who are behind or level with a rank, rounded down. */
export function percentBehind(rank: number, size: number): number {
  return size > 1 ? Math.floor((100 * (size - rank)) / (size - 1)) : 0;
}

/** Return the top percentage that a rank belongs to, rounded up. */
export function percentOfTop(rank: number, size: number): number {
  return Math.ceil((100 * rank) / size);
}

/** Return a week as dates, from Monday to Sunday: `16 – 22 November 2026`. */
export function weekWords(week: number): string {
  const format = new Intl.DateTimeFormat(text.locale, {
    timeZone: "UTC",
    day: "numeric",
    month: "long",
    year: "numeric",
  });
  const monday = mondayOf(week) * 86_400_000;
  return format.formatRange(monday, monday + 6 * 86_400_000);
}
