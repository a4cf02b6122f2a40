/** The search of overlapping peaks gives the engine's answers, step by step, and its lines win. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Board, cardsHome } from "../../src/rules/board.ts";
import { parsePile } from "../../src/rules/cards.ts";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { dealSeed } from "../../src/rules/deal.ts";
import { isWon } from "../../src/rules/moves.ts";
import { moveText } from "../../src/rules/notation.ts";
import { play } from "../../src/rules/play.ts";
import { Seen } from "../../src/solver/clearing/seen.ts";
import * as clearing from "../../src/solver/clearing.ts";
import { methodOf } from "../../src/solver/index.ts";
import type { Verdict } from "../../src/solver/solution.ts";
import { exhaust } from "./exhaustive.ts";

interface Vector {
  readonly game: string;
  readonly variant: string;
  readonly piles: readonly (readonly string[])[];
  readonly redeals: number;
  readonly budget: number;
  readonly verdict: Verdict;
  readonly home: number;
  readonly effort: number;
  readonly steps: number;
  readonly line: readonly string[];
}

const file = new URL("../../../tests/vectors/solver/clearing.json", import.meta.url);
const vectors: readonly Vector[] = JSON.parse(readFileSync(file, "utf8"));
const nameOf = ({ game, variant }: { game: string; variant: string }) => `${game} ${variant}`;
const NAMES = [...new Set(vectors.map(nameOf))];

function boardOf({ game, variant, piles, redeals }: Vector): Board {
  return { ruleset: findRuleset(game, variant), piles: piles.map(parsePile), redeals, moves: 0 };
}

test("the games searched this way are the engine's: those with peaks", () => {
  const all = games.flatMap(({ id, variants }) =>
    variants.map((variant) => findRuleset(id, variant.id)),
  );
  const searched = all.filter((ruleset) => methodOf(ruleset).solve === clearing.solve);
  expect(searched.map(nameOf)).toEqual(NAMES.filter((name) => !name.includes("=")));
  expect(searched.length).toBeGreaterThan(4);
  for (const vector of vectors) expect(clearing.applies(boardOf(vector).ruleset)).toBe(true);
});

test.each([
  ["pyramid", "packs=2"],
  ["pyramid", "waste.redeals=32"],
  ["pyramid", "reserve.deal=3;reserve.plays=foundation"],
  ["tripeaks", "stock.plays=waste;stock.to_foundation=fitting;waste.plays=foundation"],
  ["golf", "tableau.cleared=wins;reserve.deal=3;reserve.plays=foundation"],
])("no method knows the rules of %s with %s", (game, variant) => {
  const ruleset = findRuleset(game, variant);
  const board = dealSeed(ruleset, new Uint8Array(32));
  expect(methodOf(ruleset).solve(board, 100)).toMatchObject({ verdict: "unknown", steps: 0 });
});

test.each(NAMES)("boards of %s get the engine's answers in the same number of steps", (name) => {
  for (const vector of vectors.filter((each) => nameOf(each) === name)) {
    const { budget, verdict, home, effort, steps, line } = vector;
    const board = boardOf(vector);
    const found = clearing.solve(board, budget);
    const texts = found.line.map((move) => moveText(board.ruleset, move));
    expect({ ...found, line: texts }).toMatchObject({ verdict, home, effort, steps, line });
    const after = found.line.reduce(play, board);
    expect(cardsHome(after)).toBe(home);
    expect(isWon(after)).toBe(verdict === "winnable");
  }
});

test.each(NAMES)("verdicts on boards of %s match an exhaustive search", (name) => {
  let decided = 0;
  for (const vector of vectors.filter((each) => nameOf(each) === name)) {
    const { verdict } = exhaust(boardOf(vector), 300);
    if (verdict === "unknown") continue;
    expect(vector.verdict).toBe(verdict);
    decided += 1;
  }
  expect(decided).toBeGreaterThan(0);
});

test("the vectors have all verdicts", () => {
  const verdicts = vectors.map(({ verdict }) => verdict);
  expect(new Set(verdicts)).toEqual(new Set(["winnable", "impossible", "unknown"]));
});

test("a second search continues where a short one ended, and proves losses", () => {
  const verdicts = [...Array(12).keys()].map((number) => {
    const board = dealSeed(findRuleset("pyramid"), new Uint8Array(32).fill(number));
    const { verdict, line, steps } = clearing.solve(board, 1_000_000);
    expect(isWon(line.reduce(play, board))).toBe(verdict === "winnable");
    return { verdict, long: steps > 40_000 };
  });
  for (const verdict of ["winnable", "impossible"]) {
    expect(verdicts).toContainEqual({ verdict, long: true });
  }
  expect(verdicts).toContainEqual({ verdict: "winnable", long: false });
});

test("a table of positions tells all of them apart, whatever their hashes", () => {
  const seen = new Seen(64);
  for (let number = 0; !seen.isFull; number++) {
    // Bits of both halves, up to the highest.
    const [low, high] = [number << 28, number >> 4 === 0 ? 0 : (number >> 4) << 26];
    expect(seen.add(low, high)).toBe(true);
    expect(seen.add(low, high)).toBe(false);
  }
  expect(seen.size).toBeGreaterThan(32);
  expect(seen.size).toBeLessThan(64);
});
