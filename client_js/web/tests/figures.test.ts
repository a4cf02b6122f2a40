import { describe, expect, it } from "vitest";
import {
  type Counted,
  added,
  allFigures,
  countDeal,
  figuresOf,
  noFigures,
  trendOf,
  typicalHome,
  typicalTime,
} from "../src/app/practised/figures.ts";
import { figuresOfDailies, figuresOfRaces } from "../src/parts/figures/played.ts";
import { MemoryStorage } from "./storage.ts";

const won = (time: number, moves = 100): Counted => [true, 52, time, moves];
const lost = (home = 10): Counted => [false, home, 90_000, 60];

function figures(...deals: Counted[]) {
  return deals.reduce(added, noFigures);
}

describe("statistics", () => {
  it("count deals, wins, streaks and records", () => {
    const found = figures(won(300_000, 120), won(200_000, 130), lost(), won(250_000, 110));
    expect(found).toMatchObject({ played: 4, won: 3, streak: 1, longest: 2, home: 52 });
    expect([found.time, found.moves, typicalTime(found)]).toEqual([200_000, 110, 250_000]);
  });

  it("have no times without a win", () => {
    const found = figures(lost(4), lost(20), lost(6));
    expect([found.time, found.moves, typicalTime(found)]).toEqual([null, null, null]);
    expect([found.home, typicalHome(found)]).toEqual([20, 6]);
  });

  it("compare the last ten deals with those before, once there are twenty", () => {
    const early = Array.from({ length: 10 }, (_, nth) => (nth < 2 ? won(1) : lost()));
    const late = Array.from({ length: 10 }, (_, nth) => (nth < 7 ? won(1) : lost()));
    expect(trendOf(figures(...early, ...late.slice(1)))).toBeNull();
    expect(trendOf(figures(...early, ...late))).toEqual({ now: 0.7, before: 0.2 });
  });

  it("are kept per game and variant", () => {
    const storage = new MemoryStorage();
    countDeal(storage, "klondike", "standard", won(9));
    countDeal(storage, "klondike", "draw-three", lost());
    countDeal(storage, "spider", "one-suit", won(8));
    expect(figuresOf(storage, "klondike").get("standard")?.won).toBe(1);
    expect(figuresOf(storage, "klondike").get("draw-three")?.won).toBe(0);
    expect(Object.keys(allFigures(storage))).toEqual(["klondike", "spider"]);
  });

  it("keep the last hundred deals, and twenty custom rules of a game", () => {
    const storage = new MemoryStorage();
    for (let nth = 1; nth <= 120; nth++) countDeal(storage, "golf", "standard", lost(nth % 50));
    const { played, deals } = figuresOf(storage, "golf").get("standard")!;
    expect([played, deals.length]).toEqual([120, 100]);
    for (let nth = 1; nth <= 25; nth++) countDeal(storage, "golf", `stock.turns=${nth}`, lost());
    const variants = [...figuresOf(storage, "golf").keys()];
    expect(variants).toHaveLength(21);
    expect(variants).toContain("standard");
    expect(variants).not.toContain("stock.turns=5");
  });

  it.each(["", "{", "null", "7", '{"standard":{"played":"many"}}', '{"standard":null}'])(
    "ignore the malformed %s",
    (text) => {
      const storage = new MemoryStorage();
      storage.setItem("samedeal.figures.golf", text);
      expect(figuresOf(storage, "golf").size).toBe(0);
      expect(countDeal(storage, "golf", "standard", won(5)).played).toBe(1);
    },
  );

  it("are computed from a player's page, whose results are latest first", () => {
    const day = { day: 1, home: 52, left: 0, time: 5_000, moves: 90, points: 0 };
    const streak = { now: 0, best: 0 };
    const dailies = figuresOfDailies({
      ...{ played: 500, won: 300, streaks: { played: streak, won: streak } },
      ...{ average: 40, total: 52, best: null },
      days: [
        { ...day, end: "won" },
        { ...day, home: 9, end: "stuck" },
      ],
    });
    expect(dailies).toMatchObject({ played: 500, won: 300, streak: 1, time: 5_000, moves: 90 });
    const round = { at: 1, deal: "d", place: 1, of: 2, home: 52, rating: null };
    const run = { time: 7_000, moves: 80, end: "won" } as const;
    const races = figuresOfRaces({
      ...{ played: 2, won: 2 },
      rounds: [
        { ...round, ...run, variant: "one-suit" },
        { ...round, ...run, variant: "standard", end: "time" },
      ],
    });
    expect(races.get("one-suit")).toMatchObject({ played: 1, won: 1, time: 7_000 });
    expect(races.get("standard")).toMatchObject({ played: 1, won: 0, time: null });
  });
});
