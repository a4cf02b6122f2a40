import { beforeEach, describe, expect, it } from "vitest";
import { Averages, readPlayed } from "../src/app/averages.ts";
import { MemoryStorage } from "./storage.ts";

describe("Averages", () => {
  let averages: Averages;
  beforeEach(() => (averages = new Averages(new MemoryStorage())));

  it("compare a game with earlier ones, however often it is recorded", () => {
    expect(averages.note("robert", "a", 20)).toBeNull();
    expect(averages.note("robert", "b", 31)).toBe(20);
    expect(averages.note("robert", "c", 52)).toBe(26);
    expect(averages.note("robert", "b", 31)).toBe(20);
    expect(averages.usual("robert")).toBe(34);
    expect(averages.best("robert")).toBe(52);
  });

  it("are kept per game, and need more than one result", () => {
    averages.note("robert", "a", 20);
    expect(averages.usual("robert")).toBeNull();
    expect(averages.best("robert")).toBeNull();
    expect(averages.note("deuces", "b", 90)).toBeNull();
  });

  it("drop old results", () => {
    for (let nth = 0; nth < 30; nth++) averages.note("robert", `old ${nth}`, 0);
    for (let nth = 0; nth < 30; nth++) averages.note("robert", `new ${nth}`, 40);
    expect(averages.usual("robert")).toBe(40);
  });

  it.each(["", "null", "{}", '[["a"],["a",1.5],[1,2],"x"]'])("ignore %j in storage", (text) => {
    expect(readPlayed(text)).toEqual([]);
  });
});
