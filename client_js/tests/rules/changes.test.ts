/** Changes to rules, compared with the engine's results. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findRuleset, findStoredRuleset, games } from "../../src/rules/catalog.ts";
import { changedRules, changesBetween, digestOf, isChanges } from "../../src/rules/changes.ts";
import { faultOf } from "../../src/rules/faults.ts";
import { KEYS, TABLE_DEFAULTS } from "../../src/rules/schemaKeys.ts";

interface File {
  readonly keys: readonly {
    readonly table: string;
    readonly name: string;
    readonly options: readonly string[];
    readonly optional: boolean;
  }[];
  readonly entries: readonly {
    readonly game: string;
    readonly changes: string;
    readonly digest?: string;
    readonly fault?: string;
  }[];
}

const path = new URL("../../../tests/vectors/changes.json", import.meta.url);
const { keys, entries } = JSON.parse(readFileSync(path, "utf8")) as File;

const standard = (game: string) => findRuleset(game).rules;

test("the form's keys equal the schema's", () => {
  const known = KEYS.map(({ table, name, options = [], optional = false }) => ({
    ...{ table, name, options, optional },
  }));
  expect(known).toHaveLength(keys.length);
  for (const key of keys) expect(known).toContainEqual(key);
});

test.each(games)("changes to $name yield the engine's digest or fault", ({ id }) => {
  const found = entries.filter(({ game }) => game === id);
  expect(found).not.toHaveLength(0);
  for (const { changes, digest, fault } of found) {
    const rules = changedRules(standard(id), changes);
    expect([changes, faultOf(rules)?.key]).toEqual([changes, fault]);
    if (digest !== undefined) expect(digestOf(id, changes, rules)).toBe(digest);
  }
});

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
