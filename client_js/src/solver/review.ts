/**
 * A review of a run with full knowledge of the cards: whether its deal could be won, until when the
 * run could still be, and how many cards could still come home after each of its moves.
 */

import type { Board } from "../rules/board.ts";
import { moveText } from "../rules/notation.ts";
import type { Method } from "./index.ts";
import type { Solution, Verdict } from "./solution.ts";

export interface Review {
  readonly verdict: Verdict;
  /** The moves that win the deal, as texts; otherwise the best line found. */
  readonly line: readonly string[];
  /** The number of cards home after the line. */
  readonly home: number;
  /** Whether no line brings more cards home. */
  readonly most: boolean;
  /** The last number of moves with a win known to be possible, or null. */
  readonly winnable: number | null;
  /** The first number of moves with a win proved impossible, or null. */
  readonly lost: number | null;
  /** The most cards that could come home, as dealt and after each move; null where unknown. */
  readonly prospects: readonly (number | null)[];
}

/** The divisor of a method's budget for each of the many boards in the middle of a run. */
const MIDWAY = 8;

/**
 * Review a run, and report each improvement of the findings; the last report is `done`.
 *
 * Moves never increase the prospects, so boards between two with the same prospects need not be
 * solved.
 *
 * @param boards the board as dealt, and after each move that was not undone.
 * @param line a line known to win the deal, as texts, or null.
 */
export function review(
  boards: readonly Board[],
  { solve, budget }: Pick<Method, "solve" | "budget">,
  line: readonly string[] | null,
  report: (review: Review, done: boolean) => void,
): void {
  const dealt = boards[0];
  if (dealt === undefined) throw new RangeError("There is no board.");
  const { ruleset } = dealt;
  const last = boards.length - 1;
  const total = ruleset.total;
  const prospects: (number | null)[] = boards.map(() => null);
  const looked = new Map<number, Solution>();
  let winnable = -1;
  let lost = boards.length;
  let known: Solution;

  /** Solve a board, and record the consequences for others. */
  function look(at: number): Solution {
    const before = looked.get(at);
    if (before !== undefined) return before;
    const found = solve(boards[at] as Board, at === 0 ? budget : Math.ceil(budget / MIDWAY));
    if (found.verdict === "winnable") winnable = Math.max(winnable, at);
    if (found.verdict === "impossible") lost = Math.min(lost, at);
    if (found.most) prospects[at] = found.home;
    looked.set(at, found);
    return found;
  }

  function tell(done = false): void {
    // Every board before a winnable one is winnable, because moves never increase the prospects.
    for (let at = 0; at <= winnable; at++) prospects[at] = total;
    const found = {
      ...whole,
      winnable: winnable < 0 ? null : winnable,
      lost: lost > last ? null : lost,
      prospects: [...prospects],
    };
    report(found, done);
  }

  if (line === null) {
    known = look(0);
  } else {
    winnable = 0;
    const answer = { verdict: "winnable", line: [], home: total, most: true } as const;
    known = { ...answer, proof: "", effort: 0, steps: 0 };
  }
  const whole = {
    verdict: known.verdict,
    line: line ?? known.line.map((move) => moveText(ruleset, move)),
    home: known.home,
    most: known.most,
  };
  tell();
  if (known.verdict !== "impossible") departure();
  counted(Math.max(winnable, 0), last);
  tell(true);

  /** Find the last board known to be winnable, between winnable and lost ones. */
  function departure(): void {
    if (winnable < 0 || winnable === last) return;
    let beyond = last;
    if (look(last).verdict === "winnable") return;
    while (beyond - winnable > 1) {
      const middle = Math.floor((winnable + beyond) / 2);
      if (look(middle).verdict !== "winnable") beyond = middle;
      tell();
    }
  }

  /** Count the prospects of all boards between two, if the method can. */
  function counted(from: number, to: number): void {
    for (const at of [from, to]) if (prospects[at] === null && !look(at).most) return;
    if (to - from < 2) return;
    const [before, after] = [prospects[from], prospects[to]];
    // Prospects never increase, so equal ends determine everything in between.
    if (before === after) {
      prospects.fill(before ?? null, from, to);
      return;
    }
    tell();
    const middle = Math.floor((from + to) / 2);
    counted(from, middle);
    counted(middle, to);
  }
}
