import { describe, expect, it } from "vitest";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { pileAt } from "../../src/rules/board.ts";
import { isDown } from "../../src/rules/cards.ts";
import { dealSeed } from "../../src/rules/deal.ts";
import { isCovered } from "../../src/rules/moves.ts";
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
    const board = dealSeed(ruleset, new Uint8Array(32));
    const columns = [...tableau, ...reserve];
    const open = columns.flatMap((pile) => pileAt(board, pile)).filter((card) => !isDown(card));
    const homes = ruleset.foundations.flatMap((pile) => piles[pile] ?? []).length;
    const drawn = rules.stock.top === "up" ? 1 : 0;
    expect(count(sketch.faces)).toBe(open.length + homes + drawn);
    const tops = columns.filter(
      (pile) => pileAt(board, pile).length > 0 && !isCovered(board, pile),
    );
    expect(count(sketch.reds) + count(sketch.blacks)).toBe(tops.length + homes + drawn);
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
