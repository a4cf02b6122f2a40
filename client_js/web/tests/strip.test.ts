import { describe, expect, it } from "vitest";
import {
  type Chip,
  along,
  bestStopped,
  distanceOf,
  endOf,
  gapsBeside,
  standApart,
} from "../src/table/track/strip.ts";

/** Runners in order, as "a7 b5"; those with a mark have stopped: "c4!". */
const order = (runners: string) =>
  runners.split(" ").map((runner) => ({
    id: runner.charAt(0),
    cards: parseInt(runner.slice(1), 10),
    end: runner.endsWith("!") ? "stuck" : null,
  }));

describe("the gaps", () => {
  const gaps = (runners: string, me: string) =>
    gapsBeside(order(runners), me).map(({ runner, by }) => `${runner.id}${by}`);

  it("lead to the runners just ahead and just behind", () => {
    expect(gaps("a9 b7 c4 d0", "c")).toEqual(["b3", "d-4"]);
    expect(gaps("a9 b7", "a")).toEqual(["b-2"]);
    expect(gaps("a9 b9", "b")).toEqual(["a0"]);
  });

  it("are empty for spectators and solo runners", () => {
    expect(gaps("a9 b7", "x")).toEqual([]);
    expect(gapsBeside(order("a9 b7"), undefined)).toEqual([]);
    expect(gaps("a9", "a")).toEqual([]);
  });
});

it("makes the best finished runner the one to beat, if a card is home", () => {
  expect(bestStopped(order("a9 b7! c4! d0"))?.id).toBe("b");
  expect(bestStopped(order("a9 b7"))).toBeUndefined();
  expect(bestStopped(order("a9 b0!"))).toBeUndefined();
});

describe("the track", () => {
  const runner = (cards: number, headway = 0) => ({ id: "", cards, headway });

  it("has no runner past its end", () => {
    expect([0, 26, 52, 60].map((cards) => along(cards, 52))).toEqual([0, 0.5, 1, 1]);
  });

  it("is scaled to the leader, up to all cards", () => {
    const end = (...cards: number[]) =>
      endOf(
        cards.map((each) => runner(each)),
        52,
        0,
      );
    expect([end(0, 0), end(1, 0), end(20, 3), end(50, 3)]).toEqual([4, 4, 25, 52]);
  });

  it("shows headway before the first card is home", () => {
    const [none, some, card] = [runner(0), runner(0, 11), runner(1)];
    expect([none, some, card].map((each) => distanceOf(each, 21))).toEqual([0, 0.5, 1]);
    expect(distanceOf(runner(3), 0)).toBe(3);
    expect(endOf([none, some], 52, 21)).toBe(0.625);
    expect(endOf([none, none], 52, 21)).toBe(0.25);
  });
});

describe("chips", () => {
  const at = (...from: number[]): Chip[] => from.map((each) => ({ from: each, width: 28 }));
  /** The pixels between each chip and the next better one; negative if they overlap. */
  const gaps = (chips: readonly Chip[], starts: readonly number[]) =>
    starts.slice(1).map((start, nth) => (starts[nth] ?? 0) - start - (chips[nth + 1]?.width ?? 0));

  it("are at the positions of their cards", () => {
    expect(standApart(at(200, 100, 0), 300)).toEqual([200, 100, 0]);
  });

  it("are pushed on by worse ones they would cover, and back by the end", () => {
    expect(standApart(at(8, 4, 4), 300)).toEqual([60, 32, 4]);
    expect(standApart(at(286, 286, 286), 300)).toEqual([272, 244, 216]);
    expect(standApart([{ from: 8, width: 60 }, ...at(4)], 300)).toEqual([32, 4]);
  });

  it("are all visible, eight with a flag on a phone of 360 pixels, wherever they are", () => {
    const [room, own, flagged] = [290, 34, 62];
    let seed = 1;
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    for (let race = 0; race < 500; race++) {
      const spread = random() * room;
      const chips = Array.from({ length: 8 }, (_, nth) => ({
        from: random() * spread,
        width: [own, flagged][nth] ?? 28,
      })).toSorted((one, other) => other.from - one.from);
      const starts = standApart(chips, room);
      expect(Math.min(...starts)).toBeGreaterThanOrEqual(0);
      expect((starts[0] ?? 0) + (chips[0]?.width ?? 0)).toBeLessThanOrEqual(room + 1e-9);
      expect(Math.min(...gaps(chips, starts))).toBeGreaterThanOrEqual(-1e-9);
    }
  });

  it("overlap evenly if there is no room for all", () => {
    expect(standApart(at(0, 0, 0, 0), 70)).toEqual([42, 28, 14, 0]);
  });
});
