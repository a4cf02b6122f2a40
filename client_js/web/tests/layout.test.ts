import { describe, expect, it } from "vitest";
import { games } from "../../src/rules/catalog.ts";
import { layOut, pilesUnder } from "../src/board/layout.ts";
import { numberOf, viewOf } from "./tables.ts";

const SIZES = [
  { width: 360, height: 540 },
  { width: 390, height: 740 },
  { width: 844, height: 300 },
  { width: 1280, height: 720 },
  { width: 2560, height: 1300 },
] as const;

const CASES = games.flatMap(({ id }) => SIZES.map((size) => ({ id, ...size })));

describe("layOut", () => {
  it.each(CASES)("keeps $id within $width by $height", ({ id, width, height }) => {
    const long = "KSQHJSTH9S8H7S6H5S4H3S2HASKSQHJSTH9S8H7S6H5S";
    const layout = layOut(
      viewOf(id, { t0: `????????${long}`, s: "????", w: "2D3D4D5D" }),
      width,
      height,
    );
    for (const { place, cards } of layout.piles) {
      for (const { x, y } of [place, ...cards]) {
        expect(x).toBeGreaterThanOrEqual(0);
        expect(y).toBeGreaterThanOrEqual(0);
        expect(x + layout.cardWidth).toBeLessThanOrEqual(width + 0.01);
        expect(y + layout.cardHeight).toBeLessThanOrEqual(height + 1);
      }
    }
  });

  it.each(CASES)(
    "lets no two places of $id overlap in $width by $height",
    ({ id, width, height }) => {
      const { piles } = layOut(viewOf(id, {}), width, height);
      piles.forEach(({ place: a }, at) => {
        for (const { place: b } of piles.slice(at + 1)) {
          const apart = Math.abs(a.x - b.x) >= a.width || Math.abs(a.y - b.y) >= a.height;
          expect(apart).toBe(true);
        }
      });
    },
  );

  it("closes a fan up only when it is too long", () => {
    const short = viewOf("rouge-et-noir", { t0: "KSQH" });
    const long = viewOf("rouge-et-noir", {
      t0: "KSQHJSTH9S8H7S6H5S4H3S2HASKSQHJSTH9S8H7S6H5S4H3S",
    });
    const stepOf = (view: typeof short) => {
      const cards = layOut(view, 360, 540).piles[numberOf(view, "t0")]?.cards ?? [];
      return (cards[1]?.y ?? 0) - (cards[0]?.y ?? 0);
    };
    expect(stepOf(long)).toBeLessThan(stepOf(short));
    expect(stepOf(long)).toBeGreaterThan(8);
  });

  it("leaves cards of ten columns wide enough for a finger on a small phone", () => {
    expect(layOut(viewOf("rouge-et-noir", {}), 360, 540).cardWidth).toBeGreaterThanOrEqual(32);
  });

  it("puts the foundations of a narrow board in two rows, of a wide one in one", () => {
    const rows = (width: number, height: number) =>
      new Set(
        layOut(viewOf("roosevelt", {}), width, height)
          .piles.slice(0, 8)
          .map(({ place }) => place.y),
      ).size;
    expect(rows(360, 560)).toBe(2);
    expect(rows(1280, 700)).toBe(1);
  });

  it("squares the stock and shows the end of the waste", () => {
    const view = viewOf("robert", { s: "??????", w: "2D3D4D5D6D" });
    const { piles } = layOut(view, 800, 600);
    const xs = (name: string) => piles[numberOf(view, name)]?.cards.map(({ x }) => x) ?? [];
    expect(new Set(xs("s")).size).toBe(1);
    expect(new Set(xs("w")).size).toBeLessThanOrEqual(3);
  });
});

describe("pilesUnder", () => {
  it("names the pile that is covered most first, down to the foot of the board", () => {
    const view = viewOf("roosevelt", { t1: "KS", t2: "KH" });
    const layout = layOut(view, 700, 600);
    const one = layout.piles[numberOf(view, "t1")]?.place;
    if (one === undefined) throw new Error("t1 is missing");
    const box = { x: one.x + one.width * 0.4, y: 500, width: one.width, height: layout.cardHeight };
    expect(pilesUnder(layout, box).slice(0, 2)).toEqual(
      [numberOf(view, "t2"), numberOf(view, "t1")].sort((a, b) => a - b),
    );
    expect(pilesUnder(layout, { x: -500, y: 0, width: 10, height: 10 })).toEqual([]);
  });
});
