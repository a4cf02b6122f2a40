import { expect, it } from "vitest";
import { shownRank } from "../src/parts/places.ts";

it.each([
  ["a first place with a card home", 1, 5, 1],
  ["a lone run without a card home", 1, 0, null],
  ["a last place", 3, 0, 3],
  ["a run that is not ranked", null, 5, null],
])("shows the rank of %s", (_, rank, time, shown) => {
  expect(shownRank({ rank, time })).toBe(shown);
});
