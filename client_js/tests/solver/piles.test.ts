/** The exact solver of games of piles gives the engine's verdicts. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Board, cardsHome } from "../../src/rules/board.ts";
import { parsePile } from "../../src/rules/cards.ts";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { play } from "../../src/rules/play.ts";
import { Ruleset } from "../../src/rules/ruleset.ts";
import type { Rules } from "../../src/rules/schema.ts";
import { applies, solve } from "../../src/solver/piles.ts";

interface Vector {
  readonly rules: Rules;
  readonly piles: readonly (readonly string[])[];
  readonly budget: number;
  readonly verdict: string;
  readonly home: number;
}

const file = new URL("../../../tests/vectors/solver/piles.json", import.meta.url);
const vectors: readonly Vector[] = JSON.parse(readFileSync(file, "utf8"));
const numbered = vectors.map((vector, number) => ({ number, vector }));

test.each(numbered)("the position $number has the engine's verdict", ({ vector }) => {
  const { rules, piles, budget, ...expected } = vector;
  const ruleset = new Ruleset("piles", "test", rules);
  const board: Board = { ruleset, piles: piles.map(parsePile), redeals: 0, moves: 0 };
  expect(applies(ruleset)).toBe(true);
  const solution = solve(board, budget);
  expect(solution).toMatchObject(expected);
  expect(cardsHome(solution.line.reduce(play, board))).toBe(vector.home);
});

test("the vectors have all verdicts", () => {
  expect(new Set(vectors.map(({ verdict }) => verdict))).toEqual(
    new Set(["winnable", "impossible", "unknown"]),
  );
});

test("the method applies to one game of the catalogue", () => {
  const all = games.flatMap(({ id, variants }) =>
    variants.map((variant) => findRuleset(id, variant.id)),
  );
  expect(all.filter(applies).map(({ game }) => game)).toEqual(["lady-betty"]);
});
