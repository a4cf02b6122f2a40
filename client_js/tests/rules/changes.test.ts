/** Changes to rules, compared with the engine's results. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findRuleset, findStoredRuleset, games } from "../../src/rules/catalog.ts";
import { changedRules, changesBetween, digestOf, isChanges } from "../../src/rules/changes.ts";
import { faultOf } from "../../src/rules/faults.ts";
import { Driver } from "../../src/rules/driver.ts";
import { checkedRules } from "../../src/rules/refusals.ts";
import { KEYS, TABLE_DEFAULTS } from "../../src/rules/schemaKeys.ts";

interface File {
  readonly keys: readonly {
    readonly table: string;
    readonly name: string;
    readonly options: readonly string[];
    readonly optional: boolean;
  }[];
  readonly entries: readonly Entry[];
  readonly refused: readonly Entry[];
}

interface Entry {
  readonly game: string;
  readonly changes: string;
  readonly digest?: string;
  readonly fault?: string;
}

const path = new URL("../../../tests/vectors/changes.json", import.meta.url);
const { keys, entries, refused } = JSON.parse(readFileSync(path, "utf8")) as File;

const standard = (game: string) => findRuleset(game).rules;

test("the form's keys equal the schema's", () => {
  const known = KEYS.map(({ table, name, options = [], optional = false }) => ({
    ...{ table, name, options, optional },
  }));
  expect(known).toHaveLength(keys.length);
  for (const key of keys) expect(known).toContainEqual(key);
});

test.each(games)("changes to $name yield the engine's digest or fault", ({ id }) => {
  const found = [...entries, ...refused].filter(({ game }) => game === id);
  expect(found.length).toBeGreaterThan(140);
  for (const { changes, digest, fault } of found) {
    expect([changes, outcome(id, changes)]).toEqual([changes, digest ?? { fault }]);
  }
});

test.each(games)("the driver refuses what the engine refuses of changes to $name", ({ id }) => {
  const all = [...entries, ...refused].filter(({ game, fault }) => game === id && fault != null);
  expect(all.length).toBeGreaterThan(30);
  for (const { changes } of all) {
    const driver = new Driver();
    const seed = "0".repeat(64);
    const position = { game: id, variant: changes, piles: {} };
    for (const request of [
      { op: "new", game: id, variant: changes, seed },
      { op: "load", position },
    ]) {
      const answer = driver.answer(JSON.stringify(request));
      expect([changes, answer]).toMatchObject([changes, { error: { code: "bad_ruleset" } }]);
    }
  }
});

/** Return the digest of changed rules, or the key of the change at fault. */
function outcome(game: string, changes: string): unknown {
  try {
    return digestOf(game, changes, checkedRules(game, standard(game), changes));
  } catch (error) {
    const [key = ""] = (error as Error).message.split(":");
    return { fault: key.slice(game.length).replace(/^\./, "") };
  }
}

const variants = games.flatMap(({ id: game, variants: all }) =>
  all.map((each) => ({ game, ...each })),
);

test.each(variants)(
  "$game, $id: its digest, and the changes to it",
  ({ game, id, digest, rules }) => {
    expect(digestOf(game, id, rules)).toBe(digest);
    expect(faultOf(rules)).toBeNull();
    const changes = changesBetween(standard(game), rules);
    if (changes !== "") expect(changedRules(standard(game), changes)).toEqual({ ...rules });
  },
);

test.each([
  ...["", "=", "stock.turns", "stock.turns=1", "stock.turns=02", "stock.turns=2;", "name=x"],
  ...["waste.redeals=0;stock.turns=2", "foundations.2.first=A", "foundations=-", "stock=-"],
  ...["stock.turns=2=3", "toString=1", "stock.toString=1", "__proto__.x=1", "cells=-"],
  ...["cells.piles=1000000", "tableau.deal=99999999", "foundations.0.piles=1000000"],
  `tableau.deal=${"1,".repeat(250)}1`,
])("the text '%.40s' is refused as changes", (changes) => {
  const read = () => changedRules(standard("klondike"), changes);
  expect(read).toThrow(expect.objectContaining({ code: "bad_ruleset" }));
});

test("changed rules are found like a variant's, and stored ones by digest", () => {
  const ruleset = findRuleset("klondike", "stock.turns=2");
  expect(ruleset.rules.stock.turns).toBe(2);
  expect(isChanges(ruleset.variant)).toBe(true);
  expect(findStoredRuleset("klondike", "stock.turns=2", ruleset.digest)).toBe(ruleset);
  const stored = () => findStoredRuleset("klondike", "stock.turns=2", "0123456789abcdef");
  expect(stored).toThrow(expect.objectContaining({ code: "unknown_rules" }));
});

test("the initial contents of a table are complete", () => {
  const missing = KEYS.filter(
    ({ table, name }) => table !== "" && !(name in TABLE_DEFAULTS[table]),
  );
  expect(missing).toEqual([]);
});
