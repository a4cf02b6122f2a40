/** Runs: played again from their seed, compared, and written as files. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Replay, type Run, type RunFile, cardsHome, partingOf, runFileOf } from "../src/index.ts";
import { findStoredRuleset } from "../src/rules/catalog.ts";
import { parseMove } from "../src/rules/notation.ts";
import { ROW } from "../src/rules/ruleset.ts";
import { ROOT } from "./rules/engine.ts";

const text = readFileSync(join(ROOT, "tests/vectors/run.json"), "utf8");
const file = JSON.parse(text) as RunFile;
const ruleset = findStoredRuleset(file.game, file.variant, file.rules);

/** The moves of a file as the server sends them. */
function numbers(moves: RunFile["moves"]): number[] {
  let before = 0;
  return moves.flatMap(([move, time]) => {
    const { source, target, count } = parseMove(ruleset, move);
    const after = time - before;
    before = time;
    return [after, source, target === ROW ? ruleset.pileNames.length : target, count];
  });
}

function runOf(moves: RunFile["moves"]): Run {
  const { result, samedeal: _, format: __, ...fields } = file;
  const attempt = `${file.deal}.${file.player.id}`;
  return { ...fields, attempt, moves: numbers(moves), end: result.end ?? "resigned" };
}

const run = runOf(file.moves);

test("the file of a run is that of the server's golden run, to the byte", () => {
  expect(`${JSON.stringify(runFileOf(new Replay(run)))}\n`).toBe(text);
});

test("a replay has a board after each move, and knows when cards came home", () => {
  const replay = new Replay(run);
  expect(replay.boards).toHaveLength(file.moves.length + 1);
  expect(replay.result).toEqual(file.result);
  expect(cardsHome(replay.boardAt(file.moves.length))).toBe(file.result.home);
  expect(replay.arrivals.map(({ home }) => home)).toEqual(
    Array.from({ length: file.result.home }, (_, at) => at + 1),
  );
  expect(replay.textOf(1)).toBe(file.moves[0]?.[0]);
  expect(replay.textOf(0)).toBeNull();
  expect(replay.textOf(file.moves.length + 1)).toBeNull();
  expect(() => replay.boardAt(file.moves.length + 1)).toThrow(RangeError);
});

test("at each time, a replay shows the moves played by then", () => {
  const replay = new Replay(run);
  expect(replay.movesAt(0)).toBe(0);
  file.moves.forEach(([, time], at) => {
    expect(replay.movesAt(time - 1)).toBe(at);
    expect(replay.movesAt(time)).toBe(at + 1);
  });
  expect(replay.movesAt(1e12)).toBe(file.moves.length);
});

test("two runs part at the first move that differs, or where one goes on", () => {
  const whole = new Replay(run);
  expect(partingOf(whole, new Replay(run))).toBeNull();
  expect(partingOf(whole, new Replay(runOf(file.moves.slice(0, 20))))).toBe(21);
  expect(partingOf(whole, new Replay(runOf([["s>t", 5]])))).toBe(1);
});

test("a run with a move that is not legal is no replay", () => {
  expect(() => new Replay(runOf(file.moves.slice(7)))).toThrow("legal");
});
