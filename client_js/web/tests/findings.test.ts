import { describe, expect, it } from "vitest";
import type { Review } from "../../src/solver/review.ts";
import { findingsOf, keptMoves, prospectsOf } from "../src/solver/findings.ts";

const MOVE = { source: 0, target: 1, count: 1 };

const REVIEW: Review = {
  ...{ verdict: "winnable", line: ["s>w"], home: 52, most: true },
  ...{ winnable: 1, lost: 2, prospects: [52, 52, 49, 44] },
};

describe("the moves that were kept", () => {
  it("are those that were not taken back, by their numbers", () => {
    expect(keptMoves([MOVE, MOVE, MOVE])).toEqual([0, 1, 2, 3]);
    expect(keptMoves([MOVE, MOVE, null, MOVE, null, null, MOVE])).toEqual([0, 7]);
    expect(keptMoves([MOVE, null, MOVE, MOVE])).toEqual([0, 3, 4]);
    expect(keptMoves([])).toEqual([0]);
  });
});

describe("findings", () => {
  it("name the move of the run that left the last line that won", () => {
    // Moves 2 and 3 were one that was taken back.
    const found = findingsOf(REVIEW, [0, 1, 4, 5], 11);
    expect(found).toMatchObject({ left: 4, winnable: 3, toTheEnd: false });
    expect(found.costliest).toEqual({ move: 5, cards: 5 });
    expect([found.short, found.open]).toEqual([41, 33]);
  });

  it("name no move where it is not known which one it was", () => {
    const unsure = { ...REVIEW, lost: 3, prospects: [52, 52, null, null] };
    const found = findingsOf(unsure, [0, 1, 2, 3], 11);
    expect(found).toMatchObject({ left: null, winnable: 1, costliest: null, open: null });
    const never = findingsOf({ ...unsure, lost: null }, [0, 1, 2, 3], 11);
    expect(never.left).toBeNull();
  });

  it("say of a deal that could not be won that no win was left", () => {
    const lost = { ...REVIEW, verdict: "impossible", winnable: null, lost: 0, home: 30 } as const;
    const found = findingsOf({ ...lost, prospects: [30, 30, 29, 29] }, [0, 1, 2, 3], 29);
    expect(found).toMatchObject({ left: null, winnable: null, short: 1, open: 0 });
    expect(found.costliest).toEqual({ move: 2, cards: 1 });
    const best = findingsOf({ ...lost, prospects: [30, 30] }, [0, 1], 30);
    expect(best).toMatchObject({ short: 0, costliest: null });
  });

  it("say that a win was there to the end", () => {
    const found = findingsOf({ ...REVIEW, winnable: 3, lost: null }, [0, 1, 2, 5], 11);
    expect(found).toMatchObject({ toTheEnd: true, left: null, winnable: 5 });
  });
});

describe("the curve of what could still come home", () => {
  it("steps down at the times of the moves, and leaves out what is not known", () => {
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
