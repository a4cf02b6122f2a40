/** Deals whose winning line takes millions of steps to find. */

import { expect, it } from "vitest";
import { findRuleset } from "../../src/rules/catalog.ts";
import { dealSeed, parseSeed } from "../../src/rules/deal.ts";
import { knownSeed } from "../../src/rules/known.ts";
import { isWon } from "../../src/rules/moves.ts";
import { play } from "../../src/rules/play.ts";
import { advise } from "../../src/solver/advice.ts";
import { methodOf } from "../../src/solver/index.ts";
import { knownOf } from "../../src/solver/known.ts";

it.each(["617", "31465"])("hints win FreeCell deal %s", (number) => {
  const ruleset = findRuleset("freecell");
  const board = dealSeed(ruleset, parseSeed(knownSeed(ruleset, number)));
  const { line } = advise(knownOf(board), methodOf(ruleset));
  expect(line.length).toBeLessThan(200);
  expect(isWon(line.reduce((each, next) => play(each, next), board))).toBe(true);
});
