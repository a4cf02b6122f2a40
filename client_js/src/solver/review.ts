/**
 * A review of a run by somebody who knows every card: could its deal be won, until when could the
 * run still be, and how many cards could still come home after each of its moves?
 */

import type { Board } from "../rules/board.ts";
import { moveText } from "../rules/notation.ts";
import type { Method } from "./index.ts";
import type { Solution, Verdict } from "./solution.ts";

export interface Review {
  readonly verdict: Verdict;
  /** The moves that win the deal, as texts; else those of the best line that was found. */
  readonly line: readonly string[];
  /** How many cards are home after the line. */
  readonly home: number;
  /** Whether no line brings more cards home. */
  readonly most: boolean;
  /** After how many moves a win was last known to be possible; null if it never was. */
  readonly winnable: number | null;
  /** After how many moves it was first proved that no win was possible; null if that is not. */
  readonly lost: number | null;
  /**
   * After each move, from the board as dealt on, how many cards could still come home at the most;
   * null where that is not known.
   */
  readonly prospects: readonly (number | null)[];
}

/** How much of a method's budget a board in the middle of a run gets: there are many of them. */
const MIDWAY = 8;

/**
 * Review a run, and report what is known so far, whenever that is more; the last report is `done`.
 *
 * No move makes more possible than was before it, so boards between two of the same prospects need
 * not be solved.
 *
 * @param boards the board as dealt, and after each move that was not taken back.
 * @param line a line that is known to win the deal, as texts; null if none is.
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

  /** Solve a board, and note what follows for others. */
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

  /** Find the last board that is known to be winnable, between those that are and that are not. */
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

  /** Count the prospects of all boards between two, where the method can. */
  function counted(from: number, to: number): void {
    for (const at of [from, to]) if (prospects[at] === null && !look(at).most) return;
    if (to - from < 2) return;
    const [before, after] = [prospects[from], prospects[to]];
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
