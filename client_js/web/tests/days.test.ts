/** Days and months, and the results on them. */

import type { ApiTypes } from "@samedeal/client";
import { describe, expect, it } from "vitest";
import {
  crownsEarned,
  dayOf,
  firstOf,
  inRow,
  isoOf,
  monthOf,
  playedBy,
  setOf,
  weekdayOf,
  weeksOf,
} from "../src/kit/days.ts";

const DAY = dayOf("2026-11-21") ?? 0;

describe("dates", () => {
  it("match the server's days", () => {
    expect(isoOf(0)).toBe("1970-01-01");
    expect(DAY).toBe(20_778);
    expect(isoOf(DAY)).toBe("2026-11-21");
    // A Saturday.
    expect(weekdayOf(DAY)).toBe(5);
    expect(weekdayOf(0)).toBe(3);
  });

  it.each(["", "2026-11", "2026-13-01", "2026-02-30", "21.11.2026", "2026-11-21T00:00"])(
    "are not read from %j",
    (date) => {
      expect(dayOf(date)).toBeNull();
    },
  );
});

describe("a month", () => {
  it("has each of its days once, in weeks from Monday", () => {
    for (let month = 50 * 12; month < 60 * 12; month++) {
      const weeks = weeksOf(month);
      const days = weeks.flat().filter((day) => day !== null);
      expect(days).toEqual(days.map((_, nth) => firstOf(month) + nth));
      expect(days).toHaveLength(firstOf(month + 1) - firstOf(month));
      expect(days.every((day) => monthOf(day) === month)).toBe(true);
      for (const week of weeks) {
        expect(week).toHaveLength(7);
        expect(week.some((day) => day !== null)).toBe(true);
        week.forEach((day, nth) => {
          if (day !== null) expect(weekdayOf(day)).toBe(nth);
        });
      }
    }
  });
});

/** Return a game's results by day: each day's cards home; 52 is a win. */
function played(game: string, homes: Readonly<Record<number, number>>): ApiTypes.PlayedGame {
  const days = Object.entries(homes).map(([day, home]) => ({
    ...{ day: Number(day), home, left: 52 - home, time: home * 1000, moves: home },
    ...{ end: home === 52 ? ("won" as const) : ("stuck" as const), points: home },
  }));
  const none = { now: 0, best: 0 };
  const streaks = { played: none, won: none };
  const sums = { played: days.length, won: 0, streaks, average: null, total: 52, best: null };
  const races = { played: 0, won: 0, rounds: [] };
  return { game, dailies: { ...sums, days }, races, rating: null };
}

describe("results", () => {
  const found = playedBy([played("robert", { 1: 52, 2: 0 }), played("deuces", { 1: 9, 4: 3 })]);

  it("are counted by day, with games that brought a card home, and wins", () => {
    expect(found.get(1)).toMatchObject({ played: 2, won: 1 });
    expect(found.get(1)?.results.map(({ game }) => game)).toEqual(["robert", "deuces"]);
    expect(found.get(2)).toMatchObject({ played: 0, won: 0 });
    expect(found.get(3)).toBeUndefined();
  });

  it("form streaks of counted days, across repaired days", () => {
    const days = (homes: Record<number, number>) => playedBy([played("robert", homes)]);
    expect([...inRow(days({ 1: 5, 2: 5, 4: 5 }), [])]).toEqual([1, 2]);
    expect([...inRow(days({ 1: 5, 2: 0, 3: 5 }), [])]).toEqual([]);
    expect([...inRow(days({ 1: 5, 3: 5 }), [2])]).toEqual([1, 2, 3]);
    expect([...inRow(days({ 1: 5, 5: 5 }), [2, 4])]).toEqual([]);
  });
});

describe("the dailies of a day", () => {
  const both = ["deuces", "robert"];
  const one = { crown: "", games: ["robert"] };
  const sets = [
    { since: 100, games: both, crowns: [{ crown: "", games: both }] },
    { since: 110, games: ["robert"], crowns: [one] },
  ];

  it("come from the last set before it, and from the first one on earlier days", () => {
    expect([99, 100, 109].map((day) => setOf(sets, day))).toEqual(Array(3).fill(sets[0]));
    expect(setOf(sets, 110)).toEqual(sets[1]);
    expect(setOf([], 110)).toBeUndefined();
  });

  it("earn a crown once all of its games count, whatever else was played", () => {
    const run = { home: 5, left: 47, time: 900, moves: 9, end: "stuck", total: 52 } as const;
    const result = { ...run, day: 100, points: 9 };
    const done = (...results: { game: string; points?: number }[]) => ({
      ...{ played: results.length, won: 0 },
      results: results.map((each) => ({ ...result, ...each })),
    });
    const all = done({ game: "robert" }, { game: "deuces" });
    const earned = (day: number, of: Parameters<typeof crownsEarned>[0]) =>
      crownsEarned(of, setOf(sets, day)?.crowns);
    expect([earned(100, all), earned(110, all)]).toEqual([1, 1]);
    expect(earned(100, done({ game: "robert" }))).toBe(0);
    expect(earned(110, done({ game: "robert" }))).toBe(1);
    expect(earned(110, done({ game: "robert", points: 0 }))).toBe(0);
    expect(earned(110, undefined)).toBe(0);
    expect(crownsEarned(all, undefined)).toBe(0);
    const other = { crown: "", games: ["deuces"] };
    expect(crownsEarned(all, [one, other])).toBe(2);
    expect(crownsEarned(done({ game: "deuces" }), [one, other])).toBe(1);
  });
});
