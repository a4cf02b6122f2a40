import { describe, expect, it } from "vitest";
import { type Board, cardsHome } from "../../src/rules/board.ts";
import { findRuleset } from "../../src/rules/catalog.ts";
import { dealSeed } from "../../src/rules/deal.ts";
import { legalMoves } from "../../src/rules/moves.ts";
import { play } from "../../src/rules/play.ts";
import type { Solve } from "../../src/solver/index.ts";
import { randomFrom } from "../../src/solver/random.ts";
import { type Review, review } from "../../src/solver/review.ts";
import type { Solution } from "../../src/solver/solution.ts";
import { exhaust } from "./exhaustive.ts";

const METHOD = { solve: exhaust, budget: 800_000 };

/** Return the last report, after checking that no report has less than the previous one. */
function reviewed(
  boards: readonly Board[],
  method: { solve: Solve; budget: number } = METHOD,
  line: readonly string[] | null = null,
): Review {
  const reports: Review[] = [];
  review(boards, method, line, (each) => reports.push(each));
  reports.forEach((each, nth) => {
    const before = reports[nth - 1];
    expect(each.winnable ?? -1).toBeGreaterThanOrEqual(before?.winnable ?? -1);
    expect(each.lost ?? Infinity).toBeLessThanOrEqual(before?.lost ?? Infinity);
    before?.prospects.forEach((most, at) => {
      if (most !== null) expect(each.prospects[at]).toBe(most);
    });
  });
  return reports.at(-1)!;
}

/** Return the end of a random run at Robert, from shortly before its last pass ends. */
function endOfRun(seed: number): Board[] {
  const random = randomFrom(seed);
  let board = dealSeed(
    findRuleset("robert"),
    Uint8Array.from({ length: 32 }, () => random() & 0xff),
  );
  const boards: Board[] = [];
  for (;;) {
    const moves = legalMoves(board);
    const move = moves[random() % Math.max(1, moves.length)];
    if (board.redeals === 2 && (board.piles[board.ruleset.stock]?.length ?? 0) < 12)
      boards.push(board);
    if (move === undefined) return boards;
    board = play(board, move);
  }
}

/** Return boards: the first `wins` can be won, and all from `lost` on are proved lost. */
function scripted(count: number, wins: number, lost: number) {
  const board = dealSeed(findRuleset("deuces"), new Uint8Array(32));
  const boards = Array.from({ length: count }, (_, moves) => ({ ...board, moves }));
  const asked: number[] = [];
  const solve: Solve = ({ moves }): Solution => {
    asked.push(moves);
    const verdict = moves < wins ? "winnable" : moves >= lost ? "impossible" : "unknown";
    const home = verdict === "winnable" ? 104 : 20;
    return {
      verdict,
      line: [],
      home,
      most: verdict === "winnable",
      proof: "",
      effort: 0,
      steps: 1,
    };
  };
  return { boards, asked, method: { solve, budget: 8 } };
}

describe("a review", () => {
  it("counts the prospects after each move, as solving each board does", () => {
    for (let seed = 1; seed <= 25; seed++) {
      const boards = endOfRun(seed);
      const { prospects, home, most, verdict } = reviewed(boards);
      const each = boards.map((board) => exhaust(board, METHOD.budget).home);
      expect(prospects).toEqual(each);
      expect([verdict, home, most]).toEqual(["impossible", each[0], true]);
      expect(prospects.at(-1)).toBe(cardsHome(boards.at(-1)!));
    }
  });

  it.each([
    [40, 17, 17],
    [2, 1, 1],
    [300, 299, 299],
    [100, 1, 1],
  ])("of %i boards finds the %ith to be the first lost one", (count, wins, lost) => {
    const { boards, asked, method } = scripted(count, wins, lost);
    const found = reviewed(boards, method);
    expect([found.winnable, found.lost]).toEqual([wins - 1, lost]);
    expect(found.prospects.slice(0, wins)).toEqual(Array(wins).fill(104));
    // By bisection.
    expect(asked.length).toBeLessThan(4 + 2 * Math.log2(count));
  });

  it("reports the moves between which the win was lost if the solver cannot decide", () => {
    const { boards, method } = scripted(200, 50, 120);
    const { winnable, lost, prospects } = reviewed(boards, method);
    expect(winnable).toBe(49);
    expect(lost).toBeGreaterThanOrEqual(100);
    expect(lost).toBeLessThanOrEqual(199);
    expect(prospects.slice(50)).toEqual(Array(150).fill(null));
  });

  it("trusts a known line, and does not solve the deal again", () => {
    const { boards, asked, method } = scripted(64, 64, 65);
    const found = reviewed(boards, method, ["s>w"]);
    expect([found.verdict, found.line, found.winnable]).toEqual(["winnable", ["s>w"], 63]);
    expect(asked).not.toContain(0);
  });

  it("of a deal alone with a known line solves nothing", () => {
    const { boards, asked, method } = scripted(1, 1, 2);
    const found = reviewed(boards, method, ["s>w"]);
    expect([found.winnable, found.prospects]).toEqual([0, [104]]);
    expect(asked).toEqual([]);
  });

  it("has no findings on an undecided deal", () => {
    const { boards, method } = scripted(30, 0, 99);
    const found = reviewed(boards, method);
    expect([found.verdict, found.winnable, found.lost]).toEqual(["unknown", null, null]);
    expect(found.prospects).toEqual(Array(30).fill(null));
  });
});
