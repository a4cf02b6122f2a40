/** What the tables say where games do not come by. */

import { expect, test } from "vitest";
import { UNSEEN, parseCard } from "../../src/rules/cards.ts";
import { findRuleset } from "../../src/rules/catalog.ts";
import { EMPTY } from "../../src/rules/ruleset.ts";

test("a foundation that is full takes nothing, though its ranks wrap around", () => {
  const [spades] = findRuleset("deuces").homes;
  expect(spades?.(parseCard("KS"), parseCard("AS"))).toBe(true);
  expect(spades?.(parseCard("AS"), parseCard("2S"))).toBe(false);
});

test("nothing is known of an unseen card, on top or to be played", () => {
  const { builds } = findRuleset("lady-betty");
  expect(builds(EMPTY, parseCard("7C"))).toBe(true);
  expect(builds(EMPTY, UNSEEN)).toBe(false);
  expect(builds(UNSEEN, parseCard("7C"))).toBe(false);
});
