import { describe, expect, it } from "vitest";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { openingView } from "../src/board/opening.ts";
import { sketchOf } from "../src/parts/sketch.ts";

function cornersOf(path: string): [x: number, y: number][] {
  return [...path.matchAll(/M([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
}

describe.each(games.map(({ id }) => id))("the sketch of %s", (id) => {
  const ruleset = findRuleset(id);
  const { rules, stock, tableau, reserve } = ruleset;
  const hasStock = rules.stock.plays.length > 0;
  const { piles } = openingView(ruleset);
  const sketch = sketchOf(rules);
  const count = (path: string) => cornersOf(path).length;

  it("has as many cards and empty places as the board, and one card for a stock", () => {
    const others = piles.filter((_, pile) => pile !== stock);
    expect(count(sketch.places)).toBe(others.filter((cards) => cards.length === 0).length);
    expect(count(sketch.faces) + count(sketch.backs)).toBe(others.flat().length + Number(hasStock));
  });

  it("shows the initially open faces, each top one with a pip", () => {
    const columns = [...tableau, ...reserve].map((pile) => piles[pile]?.length ?? 0);
    const up = columns.map((cards, nth) => {
      const open = (nth < tableau.length ? rules.tableau : rules.reserve)?.face_up ?? 0;
      return open === "all" ? cards : Math.min(cards, open);
    });
    const homes = ruleset.foundations.flatMap((pile) => piles[pile] ?? []).length;
    const drawn = rules.stock.top === "up" ? 1 : 0;
    expect(count(sketch.faces)).toBe(up.reduce((sum, cards) => sum + cards, 0) + homes + drawn);
    const tops = columns.filter((cards) => cards > 0).length + homes + drawn;
    expect(count(sketch.reds) + count(sketch.blacks)).toBe(tops);
  });

  it("keeps everything within its box, and all piles apart", () => {
    const { width, height, places, backs, faces } = sketch;
    const corners = cornersOf(places + backs + faces);
    for (const [x, y] of corners) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThanOrEqual(width - 10);
      expect(y).toBeLessThanOrEqual(height - 14);
    }
    expect(new Set(corners.map(String)).size).toBe(corners.length);
  });
});
