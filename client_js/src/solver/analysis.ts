/**
 * Analysing a run: what could still be reached after each of its moves, by a player who knew all.
 *
 * No move makes more possible than was before it. So whatever a solver answers can only get worse
 * along a run, and most positions need not be solved.
 */

import type { Board } from "../rules/board.ts";
import { play } from "../rules/play.ts";
import type { Move } from "../rules/ruleset.ts";
import type { Solution, Verdict } from "./solution.ts";

export type Solve = (board: Board) => Solution;

/**
 * How many cards could still come home, before the first move of a run and after each.
 *
 * `solve` is an exact method, whose every solution has the most cards home. Throws `illegal_move`.
 */
export function mostAfter(board: Board, moves: readonly Move[], solve: Solve): number[] {
  const boards = boardsOf(board, moves);
  const most = Array<number>(boards.length).fill(0);
  const solved = (at: number) => (most[at] = solve(boards[at] ?? board).home);
  const fill = (first: number, last: number): void => {
    if (most[first] === most[last]) {
      most.fill(most[first] ?? 0, first, last);
    } else if (last - first > 1) {
      const middle = (first + last) >> 1;
      solved(middle);
      fill(first, middle);
      fill(middle, last);
    }
  };
  solved(0);
  solved(boards.length - 1);
  fill(0, boards.length - 1);
  return most;
}

/**
 * Whether the board could still be won, before the first move of a run and after each.
 *
 * What a method does not know is `unknown`, between the last position that it won and the first
 * that it proved lost. Those are found by bisection, for which a method that wins a position is
 * taken to win the ones before it; it may do so less often than it could. Throws `illegal_move`.
 */
export function verdictsAfter(board: Board, moves: readonly Move[], solve: Solve): Verdict[] {
  const boards = boardsOf(board, moves);
  const known = new Map<number, Verdict>();
  const verdictAt = (at: number) => {
    const verdict = known.get(at) ?? solve(boards[at] ?? board).verdict;
    known.set(at, verdict);
    return verdict;
  };
  /** The end of the positions from there on that are wanted, if these come first. */
  const endOf = (from: number, wanted: (verdict: Verdict) => boolean) => {
    let [first, last] = [from, boards.length];
    while (first < last) {
      const middle = (first + last) >> 1;
      if (wanted(verdictAt(middle))) first = middle + 1;
      else last = middle;
    }
    return first;
  };
  const won = endOf(0, (verdict) => verdict === "winnable");
  const lost = endOf(won, (verdict) => verdict !== "impossible");
  return boards.map((_, at) => (at < won ? "winnable" : at < lost ? "unknown" : "impossible"));
}

/** The board before the first move and after each. */
function boardsOf(board: Board, moves: readonly Move[]): Board[] {
  const boards = [board];
  let at = board;
  for (const move of moves) {
    at = play(at, move);
    boards.push(at);
  }
  return boards;
}
