/** Lookup tables of rulesets, in cases that games rarely reach. */

import { expect, test } from "vitest";
import { UNSEEN, parseCard } from "../../src/rules/cards.ts";
import { findRuleset } from "../../src/rules/catalog.ts";
import { EMPTY } from "../../src/rules/ruleset.ts";

test("a full foundation takes no card, even if its ranks wrap around", () => {
  const [spades] = findRuleset("deuces").homes;
  expect(spades?.(parseCard("KS"), parseCard("AS"))).toBe(true);
  expect(spades?.(parseCard("AS"), parseCard("2S"))).toBe(false);
});

test("nothing builds on an unseen card, and an unseen card builds on nothing", () => {
  const { builds } = findRuleset("lady-betty");
  expect(builds(EMPTY, parseCard("7C"))).toBe(true);
  expect(builds(EMPTY, UNSEEN)).toBe(false);
  expect(builds(UNSEEN, parseCard("7C"))).toBe(false);
});
