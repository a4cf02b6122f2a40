import { describe, expect, it } from "vitest";
import type { Review } from "../../src/solver/review.ts";
import { findingsOf, keptMoves, prospectsOf } from "../src/solver/findings.ts";

const MOVE = { source: 0, target: 1, count: 1 };

const REVIEW: Review = {
  ...{ verdict: "winnable", line: ["s>w"], home: 52, most: true },
  ...{ winnable: 1, lost: 2, prospects: [52, 52, 49, 44] },
};

describe("the kept moves", () => {
  it("are those not undone, by number", () => {
    expect(keptMoves([MOVE, MOVE, MOVE])).toEqual([0, 1, 2, 3]);
    expect(keptMoves([MOVE, MOVE, null, MOVE, null, null, MOVE])).toEqual([0, 7]);
    expect(keptMoves([MOVE, null, MOVE, MOVE])).toEqual([0, 3, 4]);
    expect(keptMoves([])).toEqual([0]);
  });
});

describe("findings", () => {
  it("name the move that lost the last winning line", () => {
    // Moves 2 and 3 were a move and its undo.
    const found = findingsOf(REVIEW, [0, 1, 4, 5], 11);
    expect(found).toMatchObject({ left: 4, winnable: 3, toTheEnd: false });
    expect(found.costliest).toEqual({ move: 5, cards: 5 });
    expect([found.short, found.open]).toEqual([41, 33]);
  });

  it("name no move if it is unknown", () => {
    const unsure = { ...REVIEW, lost: 3, prospects: [52, 52, null, null] };
    const found = findingsOf(unsure, [0, 1, 2, 3], 11);
    expect(found).toMatchObject({ left: null, winnable: 1, costliest: null, open: null });
    const never = findingsOf({ ...unsure, lost: null }, [0, 1, 2, 3], 11);
    expect(never.left).toBeNull();
  });

  it("report that an unwinnable deal had no win left", () => {
    const lost = { ...REVIEW, verdict: "impossible", winnable: null, lost: 0, home: 30 } as const;
    const found = findingsOf({ ...lost, prospects: [30, 30, 29, 29] }, [0, 1, 2, 3], 29);
    expect(found).toMatchObject({ left: null, winnable: null, short: 1, open: 0 });
    expect(found.costliest).toEqual({ move: 2, cards: 1 });
    const best = findingsOf({ ...lost, prospects: [30, 30] }, [0, 1], 30);
    expect(best).toMatchObject({ short: 0, costliest: null });
  });

  it("report that a win was possible to the end", () => {
    const found = findingsOf({ ...REVIEW, winnable: 3, lost: null }, [0, 1, 2, 5], 11);
    expect(found).toMatchObject({ toTheEnd: true, left: null, winnable: 5 });
  });
});

describe("the curve of prospects", () => {
  it("steps down at the times of the moves, and omits unknown values", () => {
    const times = [0, 100, 200, 300, 400, 500];
    expect(prospectsOf(REVIEW, [0, 1, 4, 5], times)).toEqual([
      [0, 52],
      [400, 49],
      [500, 44],
    ]);
    const unknown = { ...REVIEW, prospects: [null, null] };
    expect(prospectsOf(unknown, [0, 1], times)).toEqual([]);
  });
});
