/** The beam search gives the same answers as the engine's. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { cardsHome } from "../../src/rules/board.ts";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { moveText, parseMove } from "../../src/rules/notation.ts";
import { play } from "../../src/rules/play.ts";
import { type Position, parsePosition } from "../../src/rules/position.ts";
import { type Plan, plansOf } from "../../src/solver/beam/plans.ts";
import { glance, solve } from "../../src/solver/beam.ts";
import { methodOf } from "../../src/solver/index.ts";
import { type Review, review } from "../../src/solver/review.ts";
import { randomFrom } from "../../src/solver/random.ts";
import type { Verdict } from "../../src/solver/solution.ts";

interface Vector {
  readonly position: Position;
  readonly budget: number;
  readonly verdict: Verdict;
  readonly line: readonly string[];
  readonly home: number;
  readonly effort: number;
  readonly steps: number;
}

const file = new URL("../../../tests/vectors/solver/beam.json", import.meta.url);
const all: readonly Vector[] = JSON.parse(readFileSync(file, "utf8"));
const ids = games.map(({ id }) => id);
const vectors = all
  .filter(({ position }) => ids.includes(position.game))
  .map((vector, number) => ({ number, game: vector.position.game, vector }));

test.each(vectors)("the position $number, of $game, has the engine's answer", ({ vector }) => {
  const { position, budget, ...expected } = vector;
  const board = parsePosition(position);
  const { line, verdict, home, effort, steps } = solve(board, budget);
  const texts = line.map((move) => moveText(board.ruleset, move));
  expect({ verdict, line: texts, home, effort, steps }).toEqual(expected);
  expect(cardsHome(line.reduce(play, board))).toBe(home);
});

interface Plans {
  readonly game: string;
  readonly variant: string;
  readonly regular: boolean;
  readonly plans: readonly (readonly number[])[];
}

const plansFile = new URL("../../../tests/vectors/solver/plans.json", import.meta.url);
const allPlans: readonly Plans[] = JSON.parse(readFileSync(plansFile, "utf8"));
const WAYS = ["never", "safely", "later", "early"];

test.each(allPlans.filter(({ game }) => ids.includes(game)))(
  "the beams of $game, $variant, are planned as the engine's",
  ({ game, variant, regular, plans }) => {
    const made = plansOf(findRuleset(game, variant), regular, randomFrom(1));
    for (const expected of plans) {
      const plan = made.next().value as Plan;
      const { width, effort, last, dealt, cap } = plan;
      const rest = [WAYS.indexOf(plan.wayHome), Number(plan.whole), Number(plan.single)];
      expect([
        ...Object.values(plan.weights),
        ...[width, effort, last, dealt, cap, ...rest, ...plan.delays],
      ]).toEqual(expected);
    }
  },
);

test("what was searched before changes no answer", () => {
  const [one, other] = [vectors[0]!, vectors.at(-1)!].map(({ vector }) => vector);
  const board = parsePosition(one!.position);
  const first = solve(board, one!.budget);
  solve(board, 20_000);
  solve(parsePosition(other!.position), 20_000);
  glance(board);
  expect(solve(board, one!.budget)).toEqual(first);
});

test.each(vectors)("a glance at position $number, of $game, tells no lie", ({ vector }) => {
  const board = parsePosition(vector.position);
  const { verdict, line, home } = glance(board);
  expect(cardsHome(line.reduce(play, board))).toBe(home);
  expect(verdict === "winnable").toBe(home === board.ruleset.total);
});

test("a review by beams follows a run that wins to its end, and claims no loss", () => {
  const { vector } = vectors.find((each) => each.vector.verdict === "winnable")!;
  const boards = [parsePosition(vector.position)];
  const method = methodOf(boards[0]!.ruleset);
  for (const text of vector.line.slice(0, 24)) {
    const board = boards.at(-1)!;
    boards.push(play(board, parseMove(board.ruleset, text)));
  }
  const reports: Review[] = [];
  review(boards, method, null, (each) => reports.push(each));
  expect(reports.at(-1)).toMatchObject({ verdict: "winnable", winnable: 24, lost: null });
});
