import { expect, it } from "vitest";
import { games } from "../../src/rules/catalog.ts";
import { limitsOf, usualLimit } from "../src/race/limits.ts";

it.each(games.map(({ id }) => id))(
  "offers the usual limit of %s, shorter and longer ones",
  (id) => {
    const usual = usualLimit(id) / 60;
    const limits = limitsOf(id);
    expect(limits).toContain(usual);
    expect(limits[0]).toBeLessThan(usual);
    expect(limits.at(-1)).toBeGreaterThan(usual);
    expect(limits).toEqual(limits.toSorted((a, b) => a - b));
  },
);

it("offers no half hour for a game of two minutes", () => {
  expect(limitsOf("robert")).toEqual([3, 5, 10, 15]);
});

it.each(games.map(({ id, listing }) => [id, listing.minutes] as const))(
  "gives slow players of %s twice the usual time of a deal",
  (id, minutes) => {
    expect(usualLimit(id) / 60).toBeGreaterThanOrEqual(minutes * 2);
  },
);
