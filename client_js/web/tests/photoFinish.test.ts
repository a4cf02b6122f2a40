/** The winners, the runner-up, and the drawn runs of a round. */

import type { Runner } from "@samedeal/client";
import { describe, expect, it } from "vitest";
import { drawn, finishOf, isUnwon, ranked } from "../src/race/rounds/photoFinish.ts";

/** Return runners with these ranks, named `a`, `b` and so on. */
function runners(...ranks: (number | null)[]): Runner[] {
  return ranks.map((rank, nth) => {
    const id = String.fromCharCode(97 + nth);
    const player = { id, name: id, tag: "", bot: false };
    const result = { home: 5, left: 47, time: 9, moves: 9, end: "stuck" as const };
    const runner = { player, attempt: id, rank, colour: nth, headway: 0 };
    return { ...runner, result: { ...result, undos: 0, hints: 0, peeked: false } };
  });
}

const names = (found: readonly Runner[]) => found.map(({ player }) => player.id).join("");

describe("a finish", () => {
  it.each([
    [[1, 2], "a", "b"],
    [[1, 2, 3], "a", "b"],
    // Runners without a card home share the last rank.
    [[1, 3, 3], "a", "b"],
    [[1, 1, 3], "ab", "c"],
    [[1, 1], "ab", undefined],
    [[2, 2], "", "a"],
    [[1], "a", undefined],
  ])("of the ranks %j", (ranks, winners, next) => {
    const found = finishOf(ranked(runners(...ranks)));
    expect(names(found.winners)).toBe(winners);
    expect(found.next?.player.id).toBe(next);
  });

  it("is in the order of the ranks", () => {
    expect(names(ranked(runners(3, 1, 2, null)))).toBe("bcad");
  });

  it.each([
    [[1, 2], false],
    [[2, 2], true],
    [[3, 3, 3], true],
    [[1, 3, 3], false],
    [[1], false],
    [[], false],
  ])("with the ranks %j has no winner: %s", (ranks, unwon) => {
    expect(isUnwon(ranks.map((rank) => ({ rank })))).toBe(unwon);
  });
});

describe("the drawn runs", () => {
  const standing = runners(1, 2, 3, 4, 5);

  it.each([
    ["a", "abc"],
    ["c", "abc"],
    ["e", "abe"],
    [undefined, "abc"],
    ["elsewhere", "abc"],
  ])("for %s", (me, shown) => {
    expect(names(drawn(standing, me))).toBe(shown);
  });

  it("are all if there are few", () => {
    expect(names(drawn(runners(1, 2), "b"))).toBe("ab");
  });
});
