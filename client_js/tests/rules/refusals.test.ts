/** The driver refuses rules that it could not hold, at once. */

import { expect, test } from "vitest";
import { Driver } from "../../src/rules/driver.ts";
import { games } from "../../src/rules/catalog.ts";

test.each([
  ["cells.piles=1000000", "cells.piles"],
  ["tableau.deal=99999999", "tableau.deal"],
  ["foundations.0.piles=1000000", "foundations.0.piles"],
  ["packs=1000000", "packs"],
])("huge rules are refused: %s", (variant, key) => {
  for (const { id } of games) {
    const { error } = new Driver().answer(
      JSON.stringify({ op: "new", game: id, variant, seed: "0".repeat(64) }),
    ) as { error: { code: string; message: string } };
    expect([error.code, error.message.split(":")[0]]).toEqual(["bad_ruleset", `${id}.${key}`]);
  }
});

test("a driver plays rules that the engine accepts", () => {
  const position = new Driver().answer(
    JSON.stringify({
      ...{ op: "new", game: "spider", variant: "tableau.moves=card", seed: "0".repeat(64) },
    }),
  );
  expect(position).toMatchObject({ variant: "tableau.moves=card", moves: 0 });
});
