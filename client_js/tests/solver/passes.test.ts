/** The exact solver of games without a tableau gives the engine's answers. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Board, cardsHome } from "../../src/rules/board.ts";
import { parsePile } from "../../src/rules/cards.ts";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { moveText } from "../../src/rules/notation.ts";
import { play } from "../../src/rules/play.ts";
import { Ruleset } from "../../src/rules/ruleset.ts";
import type { Rules } from "../../src/rules/schema.ts";
import { applies, solve } from "../../src/solver/passes.ts";

interface Vector {
  readonly rules: Rules;
  readonly piles: readonly (readonly string[])[];
  readonly redeals: number;
  readonly verdict: string;
  readonly home: number;
  readonly line: readonly string[];
}

const file = new URL("../../../tests/vectors/solver/passes.json", import.meta.url);
const vectors: readonly Vector[] = JSON.parse(readFileSync(file, "utf8"));

function boardOf({ rules, piles, redeals }: Vector): Board {
  const ruleset = new Ruleset("passes", "test", rules);
  return { ruleset, piles: piles.map((pile) => [...parsePile(pile)]), redeals, moves: 0 };
}

const numbered = vectors.map((vector, number) => ({ number, vector }));

test.each(numbered)("the position $number has the engine's solution", ({ vector }) => {
  const board = boardOf(vector);
  expect(applies(board.ruleset)).toBe(true);
  const solution = solve(board);
  expect(solution).toMatchObject({ verdict: vector.verdict, home: vector.home, most: true });
  expect(solution.line.map((move) => moveText(board.ruleset, move))).toEqual(vector.line);
  expect(cardsHome(solution.line.reduce(play, board))).toBe(vector.home);
});

test("the vectors have wins and losses, and zero to two redeals", () => {
  expect(new Set(vectors.map(({ verdict }) => verdict))).toEqual(
    new Set(["winnable", "impossible"]),
  );
  const left = vectors.map(({ rules, redeals }) => Number(rules.waste?.redeals) - redeals);
  expect(new Set(left)).toEqual(new Set([0, 1, 2]));
});

test("it applies only to games without a tableau", () => {
  for (const { id, variants } of games) {
    for (const variant of variants) {
      const ruleset = findRuleset(id, variant.id);
      expect(applies(ruleset)).toBe(ruleset.tableau.length === 0);
    }
  }
});
