import { describe, expect, it, test } from "vitest";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { changedRules, changesBetween } from "../../src/rules/changes.ts";
import { faultOf } from "../../src/rules/faults.ts";
import { KEYS, type Key } from "../../src/rules/schemaKeys.ts";
import type { Rules } from "../../src/rules/schema.ts";
import {
  applies,
  changesOf,
  dealIn,
  leftInStock,
  optionsOf,
  standardOf,
  variantOf,
  withGroup,
  withPiles,
  withTable,
  withValue,
  withoutGroup,
  withoutTable,
} from "../src/own/draft.ts";
import { OPTIONAL, pathOf, valueAt } from "../src/parts/rules/keyWords.ts";

const gameOf = (id: string) => games.find((game) => game.id === id)!;
const rulesOf = (id: string) => findRuleset(id).rules;
const keyOf = (path: string): Key => KEYS.find((key) => pathOf(key) === path)!;

function changed(game: string, path: string, value: unknown): Rules {
  return withValue(rulesOf(game), keyOf(path), value);
}

describe("a variant's id", () => {
  it("is a listed variant's if the rules are equal", () => {
    const klondike = gameOf("klondike");
    expect(variantOf(klondike, standardOf(klondike))).toBe("standard");
    expect(variantOf(klondike, changed("klondike", "stock.turns", 3))).toBe("draw-three");
    expect(changesOf(klondike, "draw-three")).toBe("stock.turns=3");
    expect(changesOf(klondike, "standard")).toBe("");
  });

  it("is the changes if no listed variant has these rules", () => {
    const klondike = gameOf("klondike");
    const id = variantOf(klondike, changed("klondike", "stock.turns", 2))!;
    expect(id).toBe("stock.turns=2");
    expect(changesOf(klondike, id)).toBe(id);
  });

  it("leaves out changes that have no effect", () => {
    const golf = gameOf("golf");
    expect(variantOf(golf, changed("golf", "tableau.match", "any"))).toBe("standard");
    const moves: Rules = {
      ...rulesOf("golf"),
      tableau: { ...rulesOf("golf").tableau!, moves: "run" },
    };
    expect(variantOf(golf, moves)).toBe("standard");
    expect(variantOf(gameOf("klondike"), changed("klondike", "stock.turns", 52))).toBe(
      "stock.turns=24",
    );
  });

  it("is null if the changes are too long", () => {
    let rules = rulesOf("spider");
    for (let nth = 0; nth < 7; nth++) rules = withGroup(rules);
    expect(variantOf(gameOf("klondike"), rules)).toBeNull();
  });
});

describe("a dependent change", () => {
  it("covers all references to a removed table, and the needs of a new one", () => {
    for (const { id } of games) {
      for (const table of OPTIONAL) {
        const rules = rulesOf(id);
        const without = rules[table] === null ? rules : withoutTable(rules, table);
        expect(without[table]).toBeNull();
        const again = withTable(without, table);
        expect(again[table]).not.toBeNull();
        // The only faults left have no single answer: too many cards, or where they go. Cells
        // go neither with peaks, whose cards only go home, nor with pairs; and these leave the stock no
        // place but the waste.
        for (const each of [without, again]) {
          const reason = faultOf(each)?.reason ?? "none";
          expect([id, table, reason]).toEqual([
            id,
            table,
            expect.stringMatching(
              /^(none|too-few-cards|runs-need-tableau|fill-needs-cards|cells-unused|pairs-no-cells|stock-goes-nowhere)$/,
            ),
          ]);
        }
      }
    }
  });

  it("adds a waste for a stock that deals to it, and deals single cards without one", () => {
    const rows = changed("klondike", "stock.plays", ["row"]);
    expect([rows.waste, faultOf(rows)]).toEqual([null, null]);
    const three = withValue(rulesOf("klondike"), keyOf("stock.turns"), 3);
    expect(withValue(three, keyOf("stock.plays"), ["row"]).stock.turns).toBe(1);
  });

  it("keeps the suits of runs that go home where single cards move", () => {
    const spider = gameOf("spider");
    expect(variantOf(spider, changed("spider", "tableau.moves", "card"))).toBe(
      "tableau.moves=card",
    );
  });

  it("doubles the foundations with the cards", () => {
    const { foundations } = changed("klondike", "packs", 2);
    expect(foundations.map(({ piles }) => piles)).toEqual([8]);
    expect(leftInStock(changed("klondike", "packs", 2))).toBe(104 - 28);
  });

  it("permits any suit with any order", () => {
    const rules = changed("klondike", "tableau.order", "any");
    expect([rules.tableau?.match, faultOf(rules)]).toEqual(["any", null]);
  });

  it("lets the tableau's cards move to added cells, until these are removed", () => {
    const rules = withTable(rulesOf("klondike"), "cells");
    expect(rules.tableau?.plays).toContain("cell");
    const without = withoutTable(rules, "cells");
    expect(changesBetween(rulesOf("klondike"), without)).toBe("");
  });

  it("deals a card to each place of added peaks, and to columns again without them", () => {
    const peaks = changed("golf", "tableau.peaks", 3);
    expect(peaks.tableau?.deal).toEqual(Array(28).fill(1));
    expect(faultOf(peaks)).toBeNull();
    const columns = withValue(peaks, keyOf("tableau.peaks"), null);
    expect(faultOf(columns)).toBeNull();
    const klondike = changed("klondike", "tableau.peaks", 2);
    expect(klondike.waste?.plays).toEqual(["foundation"]);
    expect(faultOf(klondike)).toBeNull();
  });

  it("no longer ends a game with a cleared tableau if no foundation takes all cards", () => {
    const two = changed("tripeaks", "foundations.0.piles", 2);
    expect([two.tableau?.cleared, faultOf(two)]).toEqual(["goes-on", null]);
  });

  it("leaves only the plain foundation of pairs, to whose tableau nothing goes", () => {
    const pairs = changed("golf", "foundations.0.takes", "pair");
    expect(faultOf(pairs)?.reason).toBe("pairs-no-stock");
    const waste = withValue(pairs, keyOf("stock.plays"), ["waste"]);
    expect(faultOf(waste)).toBeNull();
  });

  it("sets another first rank with whole runs, and a dealt card with any", () => {
    const runs = changed("canfield", "foundations.0.takes", "run");
    expect(runs.foundations[0]).toMatchObject({ first: "any", setup: "dealt" });
    const dealt = changed("klondike", "foundations.0.setup", "dealt");
    expect(dealt.foundations[0]).toMatchObject({ first: "any", plays: [] });
    expect(faultOf(dealt)).toBeNull();
  });
});

test("every choice of every key can be read back from its changes", () => {
  let read = 0;
  for (const { id } of games) {
    const base = rulesOf(id);
    for (const key of KEYS) {
      if (key.form !== "choice" || valueAt(base, key) === undefined) continue;
      for (const option of optionsOf(base, key)) {
        const rules = withValue(base, key, option);
        const changes = changesBetween(base, rules);
        if (changes === "") continue;
        expect(changedRules(base, changes)).toEqual(rules);
        read++;
      }
    }
  }
  expect(read).toBeGreaterThan(300);
});

test("groups of foundations can be added and removed", () => {
  const base = rulesOf("klondike");
  const two = withGroup(base);
  expect(two.foundations).toEqual([base.foundations[0], base.foundations[0]]);
  expect(faultOf(two)).toBeNull();
  expect(withoutGroup(two, 0)).toEqual(base);
  expect(faultOf(withoutGroup(base, 0))?.reason).toBe("no-foundations");
});

test("keys without effect are hidden", () => {
  const shown = (game: string) =>
    KEYS.filter((key) => valueAt(rulesOf(game), key) !== undefined)
      .filter((key) => applies(rulesOf(game), key))
      .map((key) => pathOf(key));
  expect(shown("klondike")).toContain("stock.turns");
  expect(shown("klondike")).not.toContain("stock.row_on_empty");
  expect(shown("spider")).toContain("tableau.run_match");
  expect(shown("spider")).not.toContain("foundations.0.match");
  expect(shown("golf")).toContain("foundations.0.last");
});

test("piles are parsed from a line of numbers", () => {
  expect(dealIn("1 2, 3;4")).toEqual([1, 2, 3, 4]);
  for (const text of ["", "a", "-1", "105", "1 ".repeat(21)]) expect(dealIn(text)).toBeNull();
  expect(withPiles([1, 2], 4)).toEqual([1, 2, 2, 2]);
  expect(withPiles([1, 2], 0)).toEqual([1]);
  expect(withPiles([1], 30)).toHaveLength(20);
});
