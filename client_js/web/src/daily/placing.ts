/** How a result stands against those of everybody, and against one's own. Pure. */

import type { ApiTypes, Dailies, Result } from "@samedeal/client";
import { type Course, homeAt } from "../app/courses.ts";

/** Whether a daily counts as played: it is over, and brought a card home. */
export function counts(result: Result | null): boolean {
  // The cards that the deal itself puts there have no time.
  return result !== null && result.end !== null && result.time > 0;
}

/** Whether the day's games make the crown: all of them count as played. */
export function isCrowned({ games }: Dailies): boolean {
  return games.every(({ mine }) => counts(mine));
}

/** The average number of cards home in a game's dailies before a day; null if there are none. */
export function averageBefore(game: ApiTypes.PlayedGame | undefined, day: number): number | null {
  const before = game?.dailies.days.filter((played) => played.day < day) ?? [];
  if (before.length === 0) return null;
  return Math.round(before.reduce((sum, { home }) => sum + home, 0) / before.length);
}

/** Cards home at a time, of the run in the middle. */
export function medianAt({ seconds, median }: ApiTypes.Curves, time: number): number {
  const after = seconds.findIndex((second) => 1000 * second >= time);
  if (after < 0) return median.at(-1) ?? 0;
  const [to, upper] = [1000 * (seconds[after] ?? 0), median[after] ?? 0];
  const [from, lower] = [1000 * (seconds[after - 1] ?? 0), median[after - 1] ?? upper];
  return to === from ? upper : lower + ((upper - lower) * (time - from)) / (to - from);
}

/** Where a run was against the one in the middle. */
export type Standing = "ahead" | "level" | "behind";

/** How many parts a run is cut into for a small picture of it. */
export const PARTS = 8;

/** Where a run was against the one in the middle, at the end of each part of its time. */
export function standings(
  course: Course,
  end: number,
  curves: ApiTypes.Curves,
): readonly Standing[] {
  return Array.from({ length: PARTS }, (_, part) => {
    const time = (end * (part + 1)) / PARTS;
    const lead = homeAt(course, time) - medianAt(curves, time);
    if (Math.abs(lead) < 1) return "level";
    return lead > 0 ? "ahead" : "behind";
  });
}
