import { describe, expect, it } from "vitest";
import { readRace } from "../src/race/opening/lastRace.ts";
import { kept } from "../src/app/settings.svelte.ts";

const DEFAULTS = {
  deck: "two",
  back: "lattice",
  table: "felt",
  scheme: "system",
  hand: "right",
  sound: false,
  soundAsked: false,
  vibration: true,
  motion: "system",
  language: "system",
  emotes: true,
  twoStep: false,
  autoHome: false,
  practiceHelp: "hints",
};

describe("settings", () => {
  it.each([null, "", "{", "[]", "7", '"x"', '{"deck":"five","hand":7,"other":1}'])(
    "are the defaults if %s is stored",
    (text) => {
      expect(kept(text)).toEqual(DEFAULTS);
    },
  );

  it("are read back as stored", () => {
    const chosen = { ...DEFAULTS, deck: "four", hand: "left", twoStep: true };
    expect(kept(JSON.stringify(chosen))).toEqual(chosen);
  });
});

describe("the last race", () => {
  it("is the default if none or an invalid one is stored", () => {
    const first = readRace(null);
    const settings = { seats: 4, limit: 1_200, help: "undo", winnable: true };
    expect(first).toEqual({ game: "klondike", variant: "standard", ...settings });
    for (const text of ["", "{}", "null", '{"game":"chess","variant":"standard"}']) {
      expect(readRace(text)).toEqual(first);
    }
    expect(readRace(JSON.stringify({ ...first, limit: "long" }))).toEqual(first);
  });

  it("is read back as stored", () => {
    const wish = { game: "deuces", variant: "strict", seats: 2, limit: 300, help: "none" };
    expect(readRace(JSON.stringify(wish))).toEqual({ ...wish, winnable: true });
    const any = { ...wish, winnable: false };
    expect(readRace(JSON.stringify(any))).toEqual(any);
  });
});
