/** Hints on deals with all cards face up, some of which take millions of steps to solve. */

import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { findRuleset } from "../../src/rules/catalog.ts";
import { dealSeed, parseSeed } from "../../src/rules/deal.ts";
import { knownSeed } from "../../src/rules/known.ts";
import { isWon } from "../../src/rules/moves.ts";
import { play } from "../../src/rules/play.ts";
import { advise } from "../../src/solver/advice.ts";
import { methodOf } from "../../src/solver/index.ts";
import { knownOf } from "../../src/solver/known.ts";

it("hints win most deals of FreeCell, by lines short enough to follow", () => {
  const ruleset = findRuleset("freecell");
  const method = methodOf(ruleset);
  let won = 0;
  for (let deal = 1; deal <= 200; deal++) {
    const board = dealSeed(ruleset, createHash("sha256").update(`hints ${deal}`).digest());
    const { line } = advise(knownOf(board), method);
    expect(line.length).toBeLessThan(250);
    if (line.length > 0) won += 1;
  }
  expect(won).toBeGreaterThan(195);
});

it.each(["617", "31465"])("hints win FreeCell deal %s", (number) => {
  const ruleset = findRuleset("freecell");
  const board = dealSeed(ruleset, parseSeed(knownSeed(ruleset, number)));
  const { line } = advise(knownOf(board), methodOf(ruleset));
  expect(line.length).toBeLessThan(200);
  expect(isWon(line.reduce((each, next) => play(each, next), board))).toBe(true);
});
