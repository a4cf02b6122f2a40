/** The celebrations of an end, and personal records. */

import { beforeEach, describe, expect, it } from "vitest";
import { type Ending, SIZES, momentsOf, sealsOf } from "../src/parts/ending/moments.ts";
import { noteRun } from "../src/parts/ending/records.ts";
import { MemoryStorage } from "./storage.ts";

const STUCK = { end: "stuck", home: 20, time: 60_000, undos: 0, hints: 0 } as const;
const WON = { ...STUCK, end: "won", home: 52 } as const;
const PLACE = { rank: 4, of: 9 };
const DAY = { place: PLACE, crowned: false, days: 2 };

describe("an end", () => {
  it.each<[string, Ending, readonly string[]]>([
    ["as most are", { result: STUCK, before: { home: 30, time: 1 }, race: PLACE }, []],
    ["with all cards home", { result: WON, before: null }, ["home"]],
    ["of a won race", { result: STUCK, before: null, race: { rank: 1, of: 2 } }, ["race"]],
    ["of a solo race", { result: STUCK, before: null, race: { rank: 1, of: 1 } }, []],
    ["of a race without a winner", { result: STUCK, before: null, race: { rank: 2, of: 2 } }, []],
    ["with one card more", { result: STUCK, before: { home: 19, time: 5 } }, ["record"]],
    [
      "with equal cards, earlier",
      { result: STUCK, before: { home: 20, time: 60_001 } },
      ["record"],
    ],
    ["that was equalled", { result: STUCK, before: { home: 20, time: 60_000 } }, []],
    ["that is the first", { result: STUCK, before: null }, []],
    ["with a hint", { result: { ...WON, hints: 1 }, before: { home: 9, time: 5 } }, ["home"]],
    ["with an undo", { result: { ...STUCK, undos: 1 }, before: { home: 9, time: 5 } }, []],
    ["of a daily", { result: STUCK, before: null, day: DAY }, []],
    [
      "of a daily, ahead of all",
      { result: STUCK, before: null, day: { ...DAY, place: { rank: 1, of: 2 } } },
      ["best"],
    ],
    [
      "of a daily to which nobody brought a card home",
      {
        result: { ...STUCK, home: 1, time: 0 },
        ...{ before: null, day: { ...DAY, place: { rank: 1, of: 2 } } },
      },
      [],
    ],
    [
      "of a daily, as the first to finish",
      { result: STUCK, before: null, day: { ...DAY, place: { rank: 1, of: 1 } } },
      [],
    ],
    [
      "of the last daily",
      { result: STUCK, before: null, day: { ...DAY, crowned: true } },
      ["crown"],
    ],
  ])("%s", (_, ending, moments) => {
    expect(momentsOf(ending)).toEqual(moments);
  });

  it.each([
    [0, false],
    [1, false],
    [3, true],
    [6, false],
    [7, true],
    [21, true],
  ])("after %i days in a row", (days, celebrated) => {
    const found = momentsOf({ result: STUCK, before: null, day: { ...DAY, days } });
    expect(found.includes("streak")).toBe(celebrated);
  });

  it("has the largest moment first", () => {
    const race = { rank: 1, of: 3 };
    const day = { place: { rank: 1, of: 3 }, crowned: true, days: 7 };
    const all = momentsOf({ result: WON, before: { home: 1, time: 1 }, race, day });
    expect(all).toEqual(Object.keys(SIZES));
    expect(all.map((moment) => SIZES[moment])).toEqual([
      ...["show", "banner", "seal", "seal", "seal", "seal"],
    ]);
    expect(sealsOf(all)).toEqual(["best", "crown", "record", "streak"]);
  });
});

describe("the player's best run", () => {
  let storage: MemoryStorage;
  beforeEach(() => (storage = new MemoryStorage()));

  const note = (deal: string, result: Partial<Ending["result"]>, game = "robert") =>
    noteRun(storage, { game, variant: "standard", deal, result: { ...STUCK, ...result } });

  it("is the run compared with, however often it is requested", () => {
    expect(note("a", { home: 20 })).toBeNull();
    expect(note("a", { home: 20 })).toBeNull();
    expect(note("b", { home: 31 })).toEqual({ home: 20, time: 60_000 });
    expect(note("b", { home: 31 })).toEqual({ home: 20, time: 60_000 });
    expect(note("c", { home: 30 })).toEqual({ home: 31, time: 60_000 });
    expect(note("a", { home: 20 })).toEqual({ home: 31, time: 60_000 });
  });

  it("is kept per game", () => {
    note("a", { home: 20 });
    expect(note("b", { home: 30 }, "deuces")).toBeNull();
  });

  it.each([{ hints: 1 }, { undos: 1 }, { time: 0 }])("is not set with %j", (help) => {
    note("a", { home: 20 });
    note("b", { home: 40, ...help });
    expect(note("c", { home: 30 })).toEqual({ home: 20, time: 60_000 });
  });

  it.each(["", "null", "{}", "[]", '{"deal":7}', '{"deal":"a","home":"x","time":1}'])(
    "is unknown if %j is stored",
    (text) => {
      storage.setItem("samedeal.record.robert.standard", text);
      expect(note("b", {})).toBeNull();
    },
  );
});
