import { describe, expect, it } from "vitest";
import { MOST_OWN, ownGames } from "../src/app/own/saved.ts";
import { dropOwn, keepOwn, renameOwn, tidy } from "../src/own/keeping.ts";
import { MemoryStorage } from "./storage.ts";

const LAZY = { game: "klondike", rules: "stock.turns=2", name: "Lazy" };
const EASY = { game: "freecell", rules: "cells.piles=6", name: "Easy" };

describe("the saved custom games", () => {
  it("are saved, the latest first, renamed, and removed", () => {
    const storage = new MemoryStorage();
    expect(ownGames(storage)).toEqual([]);
    expect(keepOwn(LAZY, storage)).toBe(true);
    expect(keepOwn({ ...EASY, name: "  Very \n easy " }, storage)).toBe(true);
    expect(ownGames(storage)).toEqual([{ ...EASY, name: "Very easy" }, LAZY]);
    expect(renameOwn(LAZY, "Lazier", storage)).toBe(true);
    expect(renameOwn(LAZY, " ", storage)).toBe(false);
    expect(ownGames(storage)[1]).toEqual({ ...LAZY, name: "Lazier" });
    dropOwn(EASY, storage);
    expect(ownGames(storage)).toEqual([{ ...LAZY, name: "Lazier" }]);
  });

  it("replace those with the same rules or name", () => {
    const storage = new MemoryStorage();
    keepOwn(LAZY, storage);
    keepOwn({ ...LAZY, name: "Two" }, storage);
    keepOwn({ ...LAZY, rules: "stock.turns=4", name: "Two" }, storage);
    expect(ownGames(storage)).toEqual([{ ...LAZY, rules: "stock.turns=4", name: "Two" }]);
    // Games with different base games may share a name.
    keepOwn({ ...EASY, name: "Two" }, storage);
    expect(ownGames(storage)).toHaveLength(2);
  });

  it("are limited in number, and have a name", () => {
    const storage = new MemoryStorage();
    for (let nth = 1; nth <= MOST_OWN; nth++) {
      const own = { game: "klondike", rules: `stock.turns=${nth}`, name: `${nth}` };
      expect(keepOwn(own, storage)).toBe(true);
    }
    expect(keepOwn(EASY, storage)).toBe(false);
    expect(keepOwn({ ...EASY, name: " " }, new MemoryStorage())).toBe(false);
    expect(ownGames(storage)).toHaveLength(MOST_OWN);
    expect(tidy("x".repeat(50))).toHaveLength(40);
  });

  it.each(["", "{", "null", "7", '{"game":"klondike"}', '[1,null,{"game":"klondike"},[]]'])(
    "are empty if %s is stored",
    (text) => {
      const storage = new MemoryStorage();
      storage.setItem("samedeal.own", text);
      expect(ownGames(storage)).toEqual([]);
      expect(keepOwn(LAZY, storage)).toBe(true);
    },
  );
});
