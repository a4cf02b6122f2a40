/** Runs: replayed from their seed, compared, and written as files. */

import { expect, test } from "vitest";
import { Replay, cardsHome, partingOf, runFileOf } from "../src/index.ts";
import { file, runOf, text } from "./runs.ts";

const run = runOf(file.moves);

test("the file of a run equals the server's golden run, byte for byte", () => {
  expect(`${JSON.stringify(runFileOf(new Replay(run)))}\n`).toBe(text);
});

test("a replay has a board after each move, and the times at which cards came home", () => {
  const replay = new Replay(run);
  expect(replay.boards).toHaveLength(file.moves.length + 1);
  expect(replay.result).toEqual({ ...file.result, undos: 0, hints: 0, peeked: false });
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

test("two runs part at the first different move, or where one continues", () => {
  const whole = new Replay(run);
  expect(partingOf(whole, new Replay(run))).toBeNull();
  expect(partingOf(whole, new Replay(runOf(file.moves.slice(0, 20))))).toBe(21);
  expect(partingOf(whole, new Replay(runOf([["s>t", 5]])))).toBe(1);
});

test("a run with an illegal move has no replay", () => {
  expect(() => new Replay(runOf(file.moves.slice(7)))).toThrow("legal");
});

test("an undo restores a board, and counts as a move", () => {
  const replay = new Replay(run);
  const first = replay.home.findIndex((home, move) => move > 0 && home > (replay.home[0] ?? 0));
  const moves = run.moves.slice(0, first * 4);
  // The move that brought the first card home is undone, and played again.
  const again = run.moves.slice((first - 1) * 4, first * 4);
  const undone = new Replay({ ...run, help: "hints", hints: 2, moves: [...moves, 7, 0, 0, 0] });
  expect(undone.boards.at(-1)).toEqual({ ...replay.boardAt(first - 1), moves: first + 1 });
  expect(undone.result).toMatchObject({ home: 0, time: 0, moves: first + 1, undos: 1, hints: 2 });
  expect([undone.textOf(first + 1), undone.moves.at(-1)]).toEqual(["undo", null]);
  expect(undone.steps.map(({ home }) => home)).toEqual([1, 0]);
  const { moves: texts, result, help } = runFileOf(undone);
  expect(texts.at(-1)).toEqual(["undo", (replay.times[first] ?? 0) + 7]);
  expect([result.undos, result.hints, help]).toEqual([1, 2, "hints"]);
  const played = new Replay({ ...run, moves: [...moves, 7, 0, 0, 0, ...again] });
  expect(played.boards.at(-1)).toEqual({ ...replay.boardAt(first), moves: first + 2 });
  expect(() => new Replay({ ...run, moves: [0, 0, 0, 0] })).toThrow("No move can be undone.");
});
