/** Seasons of circles. Pure functions. */

import type { CircleSeason } from "@samedeal/client";
import { weekdayOf } from "../kit/days.ts";

export function weekOf({ first, weeks }: CircleSeason, day: number): number {
  return Math.min(weeks, Math.max(1, 1 + Math.floor((day - first) / 7)));
}

export function lastDay({ first, weeks }: CircleSeason): number {
  return first + 7 * weeks - 1;
}

const DAY = 86_400_000;

/** Return when a league begins, in Unix milliseconds: with the next day or week. */
export function nextStart(every: "day" | "week", today: number): number {
  return DAY * (today + (every === "day" ? 1 : 7 - weekdayOf(today)));
}

/** Return the game that follows another one in turn; the first game if there was none. */
export function followingGame(games: readonly string[], before: string | undefined): string {
  const at = before === undefined ? -1 : games.indexOf(before);
  return games[(at + 1) % games.length] ?? "";
}
