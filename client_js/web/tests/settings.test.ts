import { describe, expect, it } from "vitest";
import { readRace } from "../src/lastRace.ts";
import { kept } from "../src/settings.svelte.ts";

const NOTHING_CHOSEN = {
  deck: "two",
  back: "lattice",
  table: "felt",
  hand: "right",
  sound: false,
  motion: "system",
  language: "system",
  twoStep: false,
};

describe("settings", () => {
  it.each([null, "", "{", "[]", "7", '"x"', '{"deck":"five","hand":7,"other":1}'])(
    "are as for who has not chosen where %s is kept",
    (text) => {
      expect(kept(text)).toEqual(NOTHING_CHOSEN);
    },
  );

  it("are read back as they were chosen", () => {
    const chosen = { ...NOTHING_CHOSEN, deck: "four", hand: "left", twoStep: true };
    expect(kept(JSON.stringify(chosen))).toEqual(chosen);
  });
});

describe("the last race", () => {
  it("is the first one where there is none that can be had", () => {
    const first = readRace(null);
    expect(first).toEqual({ game: "roosevelt", variant: "standard", seats: 4, limit: 900 });
    for (const text of ["", "{}", "null", '{"game":"chess","variant":"standard"}']) {
      expect(readRace(text)).toEqual(first);
    }
    expect(readRace(JSON.stringify({ ...first, limit: "long" }))).toEqual(first);
  });

  it("is read back as it was", () => {
    const wish = { game: "deuces", variant: "strict", seats: 2, limit: 300 };
    expect(readRace(JSON.stringify(wish))).toEqual(wish);
  });
});
