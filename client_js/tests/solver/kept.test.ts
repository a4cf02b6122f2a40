/** Games whose foundations give cards back, searched without giving any back. */

import { expect, test } from "vitest";
import { type Board, cardsHome } from "../../src/rules/board.ts";
import { type Card, cardOf } from "../../src/rules/cards.ts";
import { findRuleset } from "../../src/rules/catalog.ts";
import { dealSeed } from "../../src/rules/deal.ts";
import { play } from "../../src/rules/play.ts";
import { parseMove } from "../../src/rules/notation.ts";
import { type Method, methodOf } from "../../src/solver/index.ts";

const BUDGET = 2_000;
const NARROW = "tableau.deal=1,1;tableau.empty=none";
const KEEPING = findRuleset("forty-thieves", NARROW);
const GIVING = findRuleset("forty-thieves", `foundations.0.plays=tableau;${NARROW}`);
const SOLVERS: readonly (keyof Pick<Method, "solve" | "glance">)[] = ["solve", "glance"];

/** Return a board with these spades on two foundations and both columns, the others at home. */
function boardOf(ruleset: typeof GIVING, ...piles: readonly string[]): Board {
  const [first = [], second = [], ...columns] = piles.map((ranks) =>
    [...ranks].map((rank) => cardOf(rank, "S")),
  );
  const spare: Card[] = [...ruleset.pack];
  for (const card of [...first, ...second, ...columns.flat()]) spare.splice(spare.indexOf(card), 1);
  const found = ruleset.pileNames.map((name) =>
    name === "t0" ? columns[0]! : name === "t1" ? columns[1]! : [],
  );
  return {
    ruleset,
    piles: [[...spare, ...first], second, ...found.slice(2)],
    redeals: 0,
    moves: 0,
  };
}

test.each(SOLVERS)("%s finds the line of the game without cards back", (name) => {
  for (const piles of [
    ["45", "A2", "43", "6"],
    ["45", "A2", "34", "6"],
  ]) {
    const [strict, board] = [boardOf(KEEPING, ...piles), boardOf(GIVING, ...piles)];
    const found = methodOf(GIVING)[name](board, BUDGET);
    expect(found.line).toEqual(methodOf(KEEPING)[name](strict, BUDGET).line);
    expect(cardsHome(found.line.reduce(play, board))).toBe(found.home);
  }
});

test("a board that is won by taking a card back is not called lost", () => {
  const piles = ["45", "A2", "34", "6"];
  const strict = boardOf(KEEPING, ...piles);
  expect(methodOf(KEEPING).solve(strict, BUDGET).verdict).toBe("impossible");
  const board = boardOf(GIVING, ...piles);
  expect(methodOf(GIVING).solve(board, BUDGET)).toMatchObject({
    verdict: "unknown",
    most: false,
    proof: "",
  });
  const line = ["f0>t1", "t0>t1", "t0>f1", "t1>f1", "t1>f0", "t1>f0"];
  const won = line.map((text) => parseMove(GIVING, text)).reduce(play, board);
  expect(cardsHome(won)).toBe(GIVING.total);
});

test("dealt games are searched too", () => {
  const ruleset = findRuleset("forty-thieves", "foundations.0.plays=tableau");
  const found = methodOf(ruleset).solve(dealSeed(ruleset, new Uint8Array(32)), BUDGET);
  expect(found.steps).toBeGreaterThan(0);
  expect(found.home).toBeGreaterThan(0);
});
