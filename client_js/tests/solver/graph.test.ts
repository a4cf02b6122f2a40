/** The search through positions gives the engine's answers, step by step, within its bounds. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Board, cardsHome } from "../../src/rules/board.ts";
import { DOWN, parsePile } from "../../src/rules/cards.ts";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { dealSeed } from "../../src/rules/deal.ts";
import { isLegal, isWon, legalMoves } from "../../src/rules/moves.ts";
import { moveText } from "../../src/rules/notation.ts";
import { play } from "../../src/rules/play.ts";
import { type Move, Ruleset } from "../../src/rules/ruleset.ts";
import { advise } from "../../src/solver/advice.ts";
import { followable } from "../../src/solver/followable.ts";
import { Offers } from "../../src/solver/graph/offers.ts";
import { Position } from "../../src/solver/graph/position.ts";
import { Seen } from "../../src/solver/graph/seen.ts";
import { baseOf } from "../../src/solver/graph/suits.ts";
import { Tables } from "../../src/solver/graph/tables.ts";
import * as graph from "../../src/solver/graph.ts";
import { methodOf } from "../../src/solver/index.ts";
import { knownOf } from "../../src/solver/known.ts";
import { type Review, review } from "../../src/solver/review.ts";
import type { Verdict } from "../../src/solver/solution.ts";

interface Vector {
  readonly game: string;
  readonly variant: string;
  readonly columns: number;
  readonly cells: number;
  readonly piles: readonly (readonly string[])[];
  readonly redeals: number;
  readonly budget: number;
  readonly first: number;
  readonly short: number;
  readonly verdict: Verdict;
  readonly home: number;
  readonly effort: number;
  readonly steps: number;
  readonly line: readonly string[];
}

const file = new URL("../../../tests/vectors/solver/graph.json", import.meta.url);
const vectors: readonly Vector[] = JSON.parse(readFileSync(file, "utf8"));
const nameOf = ({ game, variant }: { game: string; variant: string }) => `${game} ${variant}`;
const NAMES = [...new Set(vectors.map(nameOf))];

/** Return the board of a vector, which may have fewer columns and cells than its game. */
function boardOf({ game, variant, columns, cells, piles, redeals }: Vector): Board {
  const { rules } = findRuleset(game, variant);
  const { tableau } = rules;
  const ruleset = new Ruleset(game, variant, {
    ...rules,
    tableau: tableau && { ...tableau, deal: tableau.deal.slice(0, columns) },
    cells: rules.cells && { ...rules.cells, piles: cells },
  });
  return { ruleset, piles: piles.map(parsePile), redeals, moves: 0 };
}

function dealOf(game: string, variant: string, number: number): Board {
  return dealSeed(findRuleset(game, variant), new Uint8Array(32).fill(number));
}

test("the games searched this way are the engine's: those that no exact method decides", () => {
  const all = games.flatMap(({ id, variants }) =>
    variants.map((variant) => findRuleset(id, variant.id)),
  );
  const searched = all.filter((ruleset) => methodOf(ruleset).solve === graph.solve);
  expect(searched.map(nameOf).sort()).toEqual([...NAMES].sort());
  expect(methodOf(findRuleset("lady-betty")).solve).not.toBe(graph.solve);
  expect(graph.applies(findRuleset("spider"))).toBe(false);
});

test.each(NAMES)("boards of %s get the engine's answers in the same number of steps", (name) => {
  for (const vector of vectors.filter((each) => nameOf(each) === name)) {
    const { budget, first, short, verdict, home, effort, steps, line } = vector;
    const board = boardOf(vector);
    const found = graph.solve(board, budget, { first, short });
    const texts = found.line.map((move) => moveText(board.ruleset, move));
    expect({ ...found, line: texts }).toMatchObject({ verdict, home, effort, steps, line });
    expect(cardsHome(found.line.reduce(play, board))).toBe(home);
  }
});

test("the vectors have all verdicts, of all searches", () => {
  const verdicts = vectors.map(({ verdict, effort }) => `${verdict} ${Math.min(effort, 4)}`);
  expect(new Set(verdicts)).toEqual(
    new Set(
      ["winnable 1", "winnable 2", "winnable 3", "winnable 4", "unknown 4"].concat([
        "impossible 0",
        "impossible 1",
        "impossible 2",
        "impossible 3",
        "impossible 4",
      ]),
    ),
  );
});

test.each(NAMES)("a glance at a deal of %s takes few steps, and makes no false claim", (name) => {
  const [game = "", variant = ""] = name.split(" ");
  for (let number = 0; number < 4; number++) {
    const board = dealOf(game, variant, number);
    const { verdict, line, home, steps } = graph.glance(board);
    expect(steps).toBeLessThan(3_000);
    expect(cardsHome(line.reduce(play, board))).toBe(home);
    expect(verdict === "winnable").toBe(home === board.ruleset.total);
  }
});

test("earlier searches do not affect an answer", () => {
  const board = dealOf("freecell", "standard", 1);
  const first = graph.solve(board, 3_000);
  graph.solve(dealOf("canfield", "standard", 2), 3_000);
  graph.glance(dealOf("freecell", "standard", 3));
  expect(graph.solve(board, 3_000)).toEqual(first);
});

test.each(NAMES)("moves of %s can be undone", (name) => {
  const states: unknown[] = [];
  for (const vector of vectors.filter((each) => nameOf(each) === name)) {
    const board = boardOf(vector);
    const position = new Position(new Tables(board.ruleset, baseOf(board)), 64);
    const offers = new Offers(position);
    const whole = () => {
      position.digest();
      const { cards, tops, hidden, played, home, state, nextLow, nextHigh } = position;
      const piles = [...position.size].map((size, pile) => [
        ...cards.slice(pile * 64).slice(0, size),
      ]);
      const { digest0, digest1, leftLow, leftHigh, homeLow, homeHigh } = position;
      return structuredClone([
        ...[piles, tops, hidden, played, home, state, nextLow, nextHigh],
        ...[digest0, digest1, leftLow, leftHigh, homeLow, homeHigh],
      ]);
    };
    position.begin(board);
    for (let turn = 0; turn < 30; turn++) {
      offers.find();
      if (offers.list.size === 0) break;
      states.push(whole());
      position.play(offers.list.moves[(turn * 7) % offers.list.size]!);
    }
    while (position.played > 0) {
      position.takeBack();
      expect(whole()).toEqual(states.pop());
    }
  }
});

test("a table of digests contains inserted ones, and drops them when cleared", () => {
  const seen = new Seen();
  for (const capacity of [64, 256, 64]) {
    seen.clear(capacity);
    for (let number = 0; !seen.isFull; number++) {
      // All of these start at a few slots.
      expect(seen.add((number % 5) << 20, number)).toBe(true);
      expect(seen.add((number % 5) << 20, number)).toBe(false);
    }
    expect(seen.size).toBeGreaterThan(capacity / 2);
    expect(seen.size).toBeLessThan(capacity);
  }
});

test("advice on a deal with all cards face up is a line that wins it", () => {
  const board = dealOf("freecell", "standard", 1);
  const { move, line, ...found } = advise(knownOf(board), methodOf(board.ruleset));
  expect(found).toMatchObject({ certain: true, wins: 1, guess: false, verdict: "winnable" });
  expect(move).toBe(line[0]);
  expect(isWon(line.reduce((each, next) => play(each, next), board))).toBe(true);
});

test("a winning line is short enough to follow", () => {
  const dealt = dealOf("freecell", "standard", 1);
  const { solve } = methodOf(dealt.ruleset);
  const { line } = solve(dealt, 100_000);
  // A search deep in a tree comes back to where it was.
  let board = dealt;
  const wandering = line.flatMap((move) => {
    const others = legalMoves(board).map((there) => {
      const back = { ...there, source: there.target, target: there.source };
      return isLegal(play(board, there), back) && there.count === 1 ? [there, back] : [];
    });
    board = play(board, move);
    return [...others.flat(), move];
  });
  expect(wandering.length).toBeGreaterThan(400);
  const ends = (found: readonly Move[]) =>
    isWon(found.reduce((each, next) => play(each, next), dealt));
  expect(ends(wandering)).toBe(true);
  const never = (each: Board) => ({ ...solve(each, 1), verdict: "unknown" as const });
  const direct = followable(dealt, wandering, never);
  expect(ends(direct)).toBe(true);
  expect(direct.length).toBeLessThanOrEqual(line.length);
  expect(followable(dealt, line, never)).toBe(line);
});

test("a review finds the move that lost a deal", () => {
  const vector = vectors.find(({ game, verdict }) => game === "golf" && verdict === "winnable")!;
  const method = methodOf(boardOf(vector).ruleset);
  const boards = [boardOf(vector)];
  for (;;) {
    const board = boards.at(-1)!;
    const lost = legalMoves(board).find((move) => {
      return method.solve(play(board, move), 2_000).verdict === "impossible";
    });
    const next = lost ?? method.solve(board, 2_000).line[0]!;
    boards.push(play(board, next));
    if (lost !== undefined) break;
  }
  const reports: Review[] = [];
  review(boards, method, null, (each) => reports.push(each));
  const last = boards.length - 1;
  expect(reports.at(-1)).toMatchObject({ verdict: "winnable", winnable: last - 1, lost: last });
});

test("a line that clears Golf's columns wins where that is enough, and ends there", () => {
  const lines = ["standard", "cleared"].map((variant) => {
    const ruleset = findRuleset("golf", variant);
    const left = parsePile(["5H", "?KS", "?2D", "?TC"]);
    const known = new Set(left.map((card) => card & ~DOWN));
    const home = ruleset.pack
      .filter((card) => !known.has(card))
      .toSorted((a, b) => (b % 13) - (a % 13));
    const top = parsePile(["4S"]);
    const f0 = [...home.filter((card) => card !== top[0]), ...top];
    const piles = ruleset.pileNames.map((name) =>
      name === "f0" ? f0 : name === "t0" ? left.slice(0, 1) : name === "s" ? left.slice(1) : [],
    );
    const board: Board = { ruleset, piles, redeals: 0, moves: 0 };
    const { verdict, line } = methodOf(ruleset).solve(board, 1_000);
    expect(verdict).toBe("winnable");
    expect(isWon(line.reduce(play, board))).toBe(true);
    return line.map((move) => moveText(ruleset, move));
  });
  expect(lines[0]).toHaveLength(4);
  expect(lines[1]).toEqual(lines[0]!.slice(0, lines[0]!.indexOf("t0>f0") + 1));
});
