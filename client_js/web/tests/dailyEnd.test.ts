/** The end of a daily: places, comparisons, the curves, and the shared text. */

import type { ApiTypes } from "@samedeal/client";
import { describe, expect, it } from "vitest";
import { Courses, courseOf, homeAt, readCourse } from "../src/app/courses.ts";
import { dealsOf } from "../src/daily/calendar/past.ts";
import { isDaily } from "../src/app/targets.ts";
import {
  type DayDeals,
  averageBefore,
  canCrown,
  goingOn,
  isCrowned,
  sharingCrown,
  withResult,
} from "../src/daily/placing.ts";
import {
  band,
  bars,
  courseLine,
  haveOthers,
  settledAt,
  valueLine,
} from "../src/parts/plots/plot.ts";
import { barOf, pictureOf, shapeOf, shared } from "../src/daily/share/share.ts";
import { againstWords } from "../src/text/days.ts";
import { texts as de } from "../src/text/generated/de.later.ts";
import { texts as en } from "../src/text/generated/en.later.ts";
import { useLanguage } from "../src/text/index.ts";
import { MemoryStorage } from "./storage.ts";

const curves: ApiTypes.Curves = {
  ...{ day: 20_778, game: "robert", runs: 340, total: 52 },
  seconds: [0, 60, 120, 300, 600],
  low: [1, 3, 5, 6, 6],
  median: [1, 11, 21, 25, 25],
  high: [1, 20, 40, 52, 52],
  end: { low: 6, median: 25, high: 52 },
};

describe("a daily", () => {
  it("is one of the day's games, otherwise a usual daily", () => {
    const daily = { variant: "standard", deal: "d", commitment: "c", mine: null };
    const games = [{ ...daily, game: "robert", certificate: null, best: null }];
    expect(isDaily({ games }, "robert")).toBe(true);
    expect(isDaily({ games }, "deuces")).toBe(false);
    expect(isDaily(null, "deuces")).toBe(true);
    expect(isDaily(null, "bridge")).toBe(false);
  });
});

describe("the crown of the day", () => {
  const played = { home: 5, left: 47, time: 900, moves: 9, end: "stuck" as const };
  const result = { ...played, undos: 0, hints: 0, peeked: false };

  it.each([
    [result, true],
    [{ ...result, time: 0 }, false],
    [{ ...result, end: null }, false],
    [null, false],
  ])("with %j as the last result", (mine, crowned) => {
    const game = { variant: "standard", deal: "d", commitment: "", certificate: null, best: null };
    const day = { day: 7, date: "", ends: 0, closes: 0, crowns: [] };
    const games = [
      { ...game, game: "robert", mine: result },
      { ...game, game: "deuces", mine },
    ];
    expect(isCrowned({ ...day, games })).toBe(crowned);
    // A run that is over without a card home, or with cards placed by the deal only, is final.
    expect(canCrown({ ...day, games })).toBe(crowned || mine?.end == null);
    // A result just played counts before it is listed.
    expect(isCrowned(withResult({ ...day, games }, "deuces", result))).toBe(true);
  });

  it("is one of several, each for some of the games", () => {
    const game = { variant: "standard", deal: "d", commitment: "", certificate: null, best: null };
    const crowns = [
      { crown: "classics", games: ["klondike", "spider"] },
      { crown: "rarities", games: ["deuces", "robert"] },
    ];
    const dayOf = (...done: string[]) => ({
      ...{ day: 7, date: "", ends: 0, closes: 0, crowns },
      games: crowns.flatMap(({ games }) =>
        games.map((id) => ({ ...game, game: id, mine: done.includes(id) ? result : null })),
      ),
    });
    const names = (deals: DayDeals | null) => deals?.games.map(({ game: id }) => id) ?? null;
    const day = dayOf("deuces", "robert");
    expect(names(sharingCrown(day, "robert"))).toEqual(["deuces", "robert"]);
    expect(isCrowned(sharingCrown(day, "robert"))).toBe(true);
    expect(isCrowned(sharingCrown(day, "spider"))).toBe(false);
    // After a game, its own crown comes first.
    expect(names(goingOn(dayOf("deuces"), "deuces"))).toEqual(["deuces", "robert"]);
    expect(names(goingOn(day, "deuces"))).toEqual(["klondike", "spider"]);
    expect(goingOn(dayOf("klondike", "spider", "deuces", "robert"), "deuces")).toBeNull();
    // Another game, such as yesterday's, shares no crown of this day.
    expect(names(sharingCrown(day, "golf"))).toEqual(names(day));
  });
});

describe("a past day", () => {
  const deal = { variant: "standard", commitment: "c", certificate: null, best: 9 };
  const sealed = { rules: "r", seed: null, line: null };
  const day: ApiTypes.Day = {
    ...{ day: 7, date: "1970-01-08", starts: 0, ends: 1, closes: 2, closed: false, crowns: [] },
    earlier: true,
    deals: [
      { ...deal, ...sealed, game: "robert", deal: "one" },
      { ...deal, ...sealed, game: "deuces", deal: "two" },
    ],
  };
  const run = { home: 5, left: 47, time: 900, moves: 9, end: "stuck" as const, points: 1 };

  function played(game: string, days: readonly ApiTypes.PlayedDay[]): ApiTypes.PlayedGame {
    const none = { now: 0, best: 0 };
    const counts = { played: 1, won: 0, streaks: { played: none, won: none } };
    return {
      game,
      dailies: { ...counts, average: null, total: 52, best: null, days },
      races: { played: 0, won: 0, rounds: [] },
      rating: null,
    };
  }

  it("has its own deals, and its own results", () => {
    const games = [played("robert", [{ ...run, day: 7 }]), played("deuces", [{ ...run, day: 8 }])];
    const { points, ...mine } = run;
    expect(points).toBe(1);
    expect(dealsOf(day, games)).toEqual({
      ...{ day: 7, date: "1970-01-08", ends: 1, closes: 2, crowns: [] },
      games: [
        {
          ...{ ...deal, game: "robert", deal: "one" },
          mine: { ...mine, undos: 0, hints: 0, peeked: false },
        },
        { ...deal, game: "deuces", deal: "two", mine: null },
      ],
    });
  });
});

describe("a comparison in words", () => {
  it.each([
    [9, 4, "9 cards more than most, 4 more than your average."],
    [1, null, "1 card more than most."],
    [null, -1, "1 card fewer than your average."],
    [-3, 0, "3 cards fewer than most, right on your average."],
    [0, 0, "As many cards as most, right on your average."],
    [null, null, ""],
  ])("%s and %s", (most, average, sentence) => {
    expect(againstWords(most, average)).toBe(sentence);
  });

  it("is equally good in German", async () => {
    await useLanguage("de");
    expect(againstWords(9, -4)).toBe("9 Karten mehr als die meisten, 4 weniger als dein Schnitt.");
    expect(againstWords(null, 1)).toBe("1 Karte mehr als dein Schnitt.");
    expect(againstWords(null, 0)).toBe("Genau dein Schnitt.");
    expect(againstWords(0, 0)).toBe("So viele Karten wie die meisten, genau dein Schnitt.");
    await useLanguage("en");
  });
});

describe("the player's average", () => {
  const result = { left: 0, time: 1, moves: 1, end: "stuck" as const, points: 1 };
  const days = [{ day: 7, home: 50, ...result }];

  function game(homes: readonly number[]): ApiTypes.PlayedGame {
    const none = { now: 0, best: 0 };
    const before = homes.map((home, nth) => ({ day: 6 - nth, home, ...result }));
    const dailies = { played: 0, won: 0, streaks: { played: none, won: none }, average: null };
    return {
      game: "robert",
      dailies: { ...dailies, total: 52, best: null, days: [...days, ...before] },
      races: { played: 0, won: 0, rounds: [] },
      rating: null,
    };
  }

  it("covers the days before", () => {
    expect(averageBefore(game([10, 21]), 7)).toBe(16);
    expect(averageBefore(game([]), 7)).toBeNull();
    expect(averageBefore(undefined, 7)).toBeNull();
  });
});

describe("curves", () => {
  it("are hidden while they have only the player's run", () => {
    const shown = (runs: number, played: boolean) => haveOthers({ ...curves, runs }, played);
    expect([shown(0, false), shown(1, false), shown(1, true), shown(2, true)]).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  const frame = { width: 600, height: 52, until: 600_000, most: 52 };

  it("are drawn over time, up to the edge", () => {
    expect(valueLine(frame, curves.seconds, curves.median)).toBe(
      "M0 51L60 41L120 31L300 27L600 27L600 27",
    );
    const short = { ...frame, until: 120_000 };
    expect(valueLine(short, curves.seconds, curves.median)).toBe("M0 51L300 41L600 31L600 31");
  });

  it("have a band from the lowest to the highest", () => {
    const short = { ...frame, until: 60_000 };
    expect(band(short, curves)).toBe("M0 51L600 32L600 32L600 49L600 49L0 51Z");
    expect(band(frame, { ...curves, low: [], high: [] })).toBe("");
  });

  it("are settled once nothing changes", () => {
    expect(settledAt(curves)).toBe(300_000);
    expect(settledAt({ ...curves, seconds: [0], low: [1], median: [1], high: [1] })).toBe(0);
  });

  it("have the player's own as steps", () => {
    const course = [
      [0, 1],
      [60_000, 2],
    ] as const;
    expect(courseLine(frame, course, 300_000)).toBe("M0 51H60V50H300");
    expect(courseLine(frame, [], 300_000)).toBe("");
  });

  it("have bars beside them", () => {
    const [low, high] = bars({ width: 20, height: 60, most: 52 }, [13, 52]);
    expect(low).toEqual({ x: 0, y: 45, height: 15 });
    expect(high).toEqual({ x: 10, y: 0, height: 60 });
  });
});

describe("a shared text", () => {
  it("is a sentence with everything that counts", () => {
    expect(en.days.share.sentence("Deuces", "21 November", 38, 52, "6:41", null, 12, 340)).toBe(
      "Samedeal, Deuces, 21 November: 38 of 52 cards home in 6:41, 12th of 340.",
    );
    expect(de.days.share.sentence("Deuces", "21. November", 38, 52, "6:41", null, 12, 340)).toBe(
      "Samedeal, Deuces, 21. November: 38 von 52 Karten zu Hause in 6:41, 12. von 340.",
    );
    expect(en.days.share.sentence("Deuces", "21 November", 1, 52, null, null, null, 0)).toBe(
      "Samedeal, Deuces, 21 November: 1 of 52 cards home.",
    );
  });

  it("measures a result by par, where not all cards can come home", () => {
    expect(en.days.share.sentence("Robert", "21 November", 28, null, "1:41", "34", 2, 3)).toBe(
      "Samedeal, Robert, 21 November: 28 cards home in 1:41, par 34, 2nd of 3.",
    );
    expect(de.days.share.sentence("Robert", "21. November", 34, null, "1:41", "made", 2, 3)).toBe(
      "Samedeal, Robert, 21. November: 34 Karten zu Hause in 1:41, und das ist Par, 2. von 3.",
    );
    expect(en.days.share.sentence("Robert", "21 November", 1, null, null, null, null, 0)).toBe(
      "Samedeal, Robert, 21 November: 1 card home.",
    );
  });

  it("is one sentence for all games", () => {
    expect(en.days.share.set("21 November", 5, 2, 188, "")).toBe(
      "Samedeal, 21 November: all 5 games, 2 won, 188 cards home.",
    );
    expect(de.days.share.set("21. November", 5, 0, 188, "")).toBe(
      "Samedeal, 21. November: alle 5 Spiele, 188 Karten zu Hause.",
    );
  });

  it("has a picture below it", () => {
    expect(shared("Samedeal.", "▁▂▃")).toBe("Samedeal.\n▁▂▃");
  });

  it.each([
    [0, "▁▁▁▁▁▁▁▁▁▁"],
    [1, "█▁▁▁▁▁▁▁▁▁"],
    [26, "█████▁▁▁▁▁"],
    [51, "█████████▁"],
    [52, "██████████"],
  ])("shows %i of 52 cards as a bar", (home, bar) => {
    expect(barOf(home, 52)).toBe(bar);
  });

  const course = [
    [0, 1],
    [20_000, 10],
    [90_000, 14],
    [160_000, 34],
  ] as const;

  it("shows the cards home over time, the last one at the edge", () => {
    expect(shapeOf(course, 160_000, 52)).toBe("▁▂▂▂▂▃▃▃▃▆");
    expect(shapeOf(course, 160_000, 34)).toBe("▁▃▃▃▃▄▄▄▄█");
  });

  it("is full only if the target was reached", () => {
    expect(shapeOf([[0, 51]], 100, 52)).toBe("▇".repeat(10));
    expect(shapeOf([[0, 52]], 100, 52)).toBe("█".repeat(10));
    expect(shapeOf([[0, 0]], 0, 52)).toBe("▁".repeat(10));
  });

  it("measures the shape by the deal's target, if known", () => {
    const result = { home: 34, time: 160_000 };
    const target = { kind: "all", home: 52 } as const;
    expect(pictureOf(course, result, target)).toBe(shapeOf(course, 160_000, 52));
    expect(pictureOf(course, result, null)).toBe(shapeOf(course, 160_000, 34));
    // For a run on another device, only the end is known.
    expect(pictureOf(null, result, target)).toBe(barOf(34, 52));
    expect(pictureOf(null, { home: 0, time: 0 }, null)).toBe(barOf(0, 1));
  });
});

describe("the course of a daily", () => {
  interface Played {
    readonly game: string;
    readonly deal: string;
    readonly day: number | null;
    readonly result: { readonly home: number; readonly time: number };
  }

  /** Return the courses of a client whose attempt the test sets. */
  function playing() {
    let tell: (attempt: Played | null) => void = () => undefined;
    const attempt = {
      get: () => null,
      subscribe: (run: (attempt: never) => void) => {
        tell = run as typeof tell;
        return () => undefined;
      },
    };
    const courses = new Courses({ attempt }, new MemoryStorage());
    return {
      courses,
      play: (home: number, time: number, deal = "d", day: number | null = 7) =>
        tell({ game: "robert", deal, day, result: { home, time } }),
    };
  }

  it("has each card that came home, once", () => {
    const { courses, play } = playing();
    for (const [home, time] of [[1, 0] as const, [1, 0] as const, [2, 900] as const]) {
      play(home, time);
    }
    expect(courses.of("robert", "d")).toEqual([
      [0, 1],
      [900, 2],
    ]);
    expect(homeAt(courses.of("robert", "d") ?? [], 899)).toBe(1);
    expect(courses.of("robert", "e")).toBeNull();
    expect(courses.of("deuces", "d")).toBeNull();
  });

  it("is kept for dailies only, and for the last one of a game", () => {
    const { courses, play } = playing();
    play(1, 0, "race", null);
    expect(courses.of("robert", "race")).toBeNull();
    play(3, 500);
    play(1, 0, "next");
    expect(courses.of("robert", "d")).toBeNull();
    expect(courses.of("robert", "next")).toEqual([[0, 1]]);
  });

  it("can be derived from a replay, too", () => {
    const replay = { times: [0, 100, 250, 300], home: [1, 1, 2, 4] };
    expect(courseOf(replay)).toEqual([
      [0, 1],
      [250, 2],
      [300, 4],
    ]);
  });

  it.each([null, "", "null", "[]", '{"deal":"d"}', '{"deal":"d","course":[["a",1]]}'])(
    "is not read from %j",
    (stored) => {
      expect(readCourse(stored)).toBeNull();
    },
  );
});
