/** The beam search makes no false claims, and decides nearly as many boards as the engine's. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { cardsHome } from "../../src/rules/board.ts";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { parseMove } from "../../src/rules/notation.ts";
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
}

/** The least fraction of the engine's decisions, and of its cards home. */
const LEAST = 0.9;

const file = new URL("../../../tests/vectors/solver/beam.json", import.meta.url);
const all: readonly Vector[] = JSON.parse(readFileSync(file, "utf8"));
const ids = games.map(({ id }) => id);
const vectors = all
  .filter(({ position }) => ids.includes(position.game))
  .map((vector, number) => ({ number, game: vector.position.game, vector }));

/** Return the findings on a board, checked against the engine and by a replay of the line. */
function sound({ position, budget, verdict, home }: Vector): ReturnType<typeof solve> {
  const board = parsePosition(position);
  const answer = solve(board, budget);
  expect(cardsHome(answer.line.reduce(play, board))).toBe(answer.home);
  expect(answer.verdict === "winnable").toBe(answer.home === board.ruleset.total);
  if (verdict === "winnable") expect(answer.verdict).not.toBe("impossible");
  if (verdict === "impossible") expect(answer.verdict).not.toBe("winnable");
  if (answer.verdict === "impossible") expect(answer.home).toBeGreaterThanOrEqual(home);
  return answer;
}

test("no answer is false, and nearly as much is decided as by the engine", () => {
  const answers = vectors.map(({ vector }) => sound(vector));
  const decided = answers.filter(
    ({ verdict }, nth) => verdict !== "unknown" && vectors[nth]?.vector.verdict !== "unknown",
  );
  const wanted = vectors.filter(({ vector }) => vector.verdict !== "unknown");
  expect(wanted.length).toBeGreaterThan(10);
  expect(decided.length).toBeGreaterThanOrEqual(LEAST * wanted.length);
  const sum = (found: readonly { readonly home: number }[]) =>
    found.reduce((total, { home }) => total + home, 0);
  expect(sum(answers)).toBeGreaterThanOrEqual(LEAST * sum(vectors.map(({ vector }) => vector)));
});

test.each(games.map(({ id }) => id))("most beams of %s have distinct weights", (game) => {
  const plans = plansOf(findRuleset(game), true, randomFrom(1));
  const weights = Array.from({ length: 16 }, () => {
    const plan = plans.next().value as Plan;
    return JSON.stringify(plan.weights);
  });
  expect(new Set(weights).size).toBeGreaterThan(8);
});

test("earlier searches do not affect an answer", () => {
  const [one, other] = [vectors[0]!, vectors.at(-1)!].map(({ vector }) => vector);
  const board = parsePosition(one!.position);
  const first = solve(board, one!.budget);
  solve(board, 20_000);
  solve(parsePosition(other!.position), 20_000);
  glance(board);
  expect(solve(board, one!.budget)).toEqual(first);
});

test.each(vectors)("a glance at position $number, of $game, makes no false claim", ({ vector }) => {
  const board = parsePosition(vector.position);
  const { verdict, line, home } = glance(board);
  expect(cardsHome(line.reduce(play, board))).toBe(home);
  expect(verdict === "winnable").toBe(home === board.ruleset.total);
});

test("a review by beams follows a winning run to its end, and claims no loss", () => {
  const { vector } = vectors.find(
    ({ vector: { line, verdict } }) => verdict === "winnable" && line.length > 24,
  )!;
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
