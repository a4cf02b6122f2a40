import { describe, expect, it } from "vitest";
import { viewOf as seenBy } from "../../src/rules/board.ts";
import { findRuleset } from "../../src/rules/catalog.ts";
import { dealSeed } from "../../src/rules/deal.ts";
import { usefulPlaces } from "../src/table/guide/useful.ts";
import { viewOf } from "./tables.ts";

/** Return the highlighted cards, as `t0.1`. */
function useful(...of: Parameters<typeof viewOf>): string[] {
  const view = viewOf(...of);
  const { pileNames } = view.ruleset;
  const places = usefulPlaces(view).map(({ pile, index }) => `${pileNames[pile] ?? ""}.${index}`);
  return [...new Set(places)];
}

describe("useful cards", () => {
  const full = { t4: "2S", t5: "2H", t6: "2D", t7: "2C" };

  it("go home or onto another column, never just into a cell", () => {
    const piles = { ...full, t0: "5C9D", t1: "QSTS", t2: "KH", t3: "KCAS" };
    expect(useful("freecell", piles)).toEqual(["t0.1", "t3.1"]);
  });

  it("are those to tap: the first of several that move together", () => {
    expect(useful("freecell", { ...full, t0: "5C9D8S", t1: "QSTS", t2: "KH" })).toEqual(["t0.1"]);
  });

  it("do not go from one good place to another", () => {
    const piles = { ...full, t0: "TC9D", t1: "TS", t2: "KH", t3: "KC" };
    expect(useful("freecell", piles)).toEqual([]);
    // In Spider, a run of one suit is a better place.
    const spider = { t0: "TH9S", t1: "TS", t2: "3S" };
    expect(useful("spider", spider)).toEqual(["t0.1"]);
    expect(useful("spider", { ...spider, t0: "TS9S" })).toEqual([]);
  });

  it("turn a card up, even on an empty column, or come from stock and waste", () => {
    const piles = { t0: "??KD", t1: "QHJS", s: "????", w: "5C" };
    expect(useful("klondike", piles)).toEqual(["t0.1", "s.1"]);
    expect(useful("klondike", { ...piles, w: "TH" })).toEqual(["t0.1", "w.0", "s.1"]);
  });

  it("otherwise make way for a useful card", () => {
    const piles = { ...full, t0: "9D5C", t1: "TS", t2: "KH", t3: "KC" };
    expect(useful("freecell", piles)).toEqual(["t0.1"]);
  });

  it("exclude cards from cells to empty columns, and from foundations", () => {
    expect(useful("freecell", { ...full, t0: "KS", t1: "KH", t2: "KD", c0: "9D" })).toEqual([]);
    const klondike = { f0: "AH2H", t0: "3S", t1: "KS" };
    expect(useful("klondike", klondike)).toEqual([]);
  });

  it("are few at the start of FreeCell", () => {
    const counts = [0, 1, 2, 3, 4, 5, 6, 7].map((seed) => {
      const deal = dealSeed(findRuleset("freecell"), new Uint8Array(32).fill(seed));
      return new Set(usefulPlaces(seenBy(deal)).map(({ pile }) => pile)).size;
    });
    expect(Math.max(...counts)).toBeLessThan(8);
    expect(Math.min(...counts)).toBeGreaterThan(0);
  });
});
