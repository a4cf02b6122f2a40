/** What is said of a run's positions follows from solving few of them. */

import { expect, test } from "vitest";
import type { Board } from "../../src/rules/board.ts";
import { dealSeed } from "../../src/rules/deal.ts";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { mostAfter, verdictsAfter } from "../../src/solver/analysis.ts";
import type { Solution, Verdict } from "../../src/solver/solution.ts";

const game = games.find(({ variants }) => variants[0]?.rules.waste !== null)?.id ?? "";
const dealt = dealSeed(findRuleset(game), new Uint8Array(32));
const { stock, waste } = dealt.ruleset;
const moves = Array.from({ length: 20 }, () => ({ source: stock, target: waste ?? -1, count: 1 }));

/** A method that answers by the number of moves played, and counts how often it is asked. */
function scripted(answer: (moves: number) => Partial<Solution>) {
  const asked: number[] = [];
  const solve = (board: Board): Solution => {
    asked.push(board.moves);
    const none: Solution = {
      ...{ verdict: "unknown", line: [], home: 0, most: true, proof: "", effort: 0, steps: 0 },
    };
    return { ...none, ...answer(board.moves) };
  };
  return { asked, solve };
}

test("the most cards home are found for every position by solving few", () => {
  const truth = [30, 30, 30, 28, 28, ...Array<number>(10).fill(27), 9, 9, 9, 9, 9, 9];
  const { asked, solve } = scripted((played) => ({ home: truth[played] ?? 0 }));
  expect(mostAfter(dealt, moves, solve)).toEqual(truth);
  expect(asked.length).toBeLessThan(14);
  expect(new Set(asked).size).toBe(asked.length);
});

test("a run without moves has one position", () => {
  const { solve } = scripted(() => ({ home: 5, verdict: "winnable" }));
  expect(mostAfter(dealt, [], solve)).toEqual([5]);
  expect(verdictsAfter(dealt, [], solve)).toEqual(["winnable"]);
});

const times = (count: number, verdict: Verdict) => Array<Verdict>(count).fill(verdict);

test.each([
  [21, 0, 0],
  [0, 21, 0],
  [0, 0, 21],
  [7, 0, 14],
  [7, 3, 11],
  [20, 1, 0],
  [0, 1, 20],
])("%i positions are won, %i not known and %i lost", (won, unknown, lost) => {
  const truth = [
    ...times(won, "winnable"),
    ...times(unknown, "unknown"),
    ...times(lost, "impossible"),
  ];
  const { asked, solve } = scripted((played) => ({ verdict: truth[played] ?? "unknown" }));
  expect(verdictsAfter(dealt, moves, solve)).toEqual(truth);
  expect(new Set(asked).size).toBe(asked.length);
  expect(asked.length).toBeLessThanOrEqual(10);
});
