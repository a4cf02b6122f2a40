import { expect, it } from "vitest";
import type { Board } from "../../src/rules/board.ts";
import { findRuleset } from "../../src/rules/catalog.ts";
import type { Solve } from "../../src/solver/index.ts";
import { lastWinnable } from "../../src/solver/wayBack.ts";

const RULESET = findRuleset("freecell");

/** Return so many boards, told apart by their moves. */
function boardsOf(count: number): readonly Board[] {
  return Array.from({ length: count }, (_, moves) => ({
    ruleset: RULESET,
    piles: [],
    redeals: 0,
    moves,
  }));
}

/** Solves boards of which only the first ones can be won, and counts its searches. */
function solving(winnable: number): { solve: Solve; budget: number; searches: () => number } {
  let searches = 0;
  const none = { line: [], home: 0, most: false, proof: "", effort: 0, steps: 0 };
  const solve: Solve = (board) => {
    searches += 1;
    return { ...none, verdict: board.moves < winnable ? "winnable" : "unknown" };
  };
  return { solve, budget: 24, searches: () => searches };
}

it.each([0, 1, 2, 5, 40, 99, 100])("is the last of %i winnable boards", (winnable) => {
  const method = solving(winnable);
  const last = lastWinnable(boardsOf(100), method);
  expect(last).toBe(winnable === 0 ? null : winnable - 1);
  expect(method.searches()).toBeLessThan(15);
});

it("needs no search before a board that is known to be winnable", () => {
  const method = solving(0);
  expect(lastWinnable(boardsOf(100), method, 98)).toBe(98);
  expect(method.searches()).toBe(1);
  expect(lastWinnable([], method)).toBeNull();
});
