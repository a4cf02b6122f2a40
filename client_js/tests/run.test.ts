/** Runs: played again from their seed, compared, and written as files. */

import { expect, test } from "vitest";
import { Replay, cardsHome, partingOf, runFileOf } from "../src/index.ts";
import { file, runOf, text } from "./runs.ts";

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
