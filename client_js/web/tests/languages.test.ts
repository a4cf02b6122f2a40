import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Messages, SOURCE } from "../../scripts/compiler.ts";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { parseCard } from "../../src/rules/cards.ts";
import { ENDLESS } from "../../src/rules/ruleset.ts";
import { variantWords } from "../src/app/own/names.ts";
import { anyCardOf } from "../src/board/reasons.ts";
import { rulesOf, tapWords } from "../src/parts/rules/ruleWords.ts";
import {
  LANGUAGES,
  cardWords,
  languageOf,
  marksOf,
  text,
  useLanguage,
  withText,
} from "../src/text/index.ts";

const FOLDER = fileURLToPath(new URL("../src/text/messages", import.meta.url));

/** Messages identical in a language and in the source. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  de: [
    ...["Median", "Median: {value}", "Moderation", "Name", "Passkey {number}", "PySolFC"],
    ...["Reserve", "samedeal", "{clock} min"],
  ],
  fr: [
    ...[
      "Hmm …",
      "Journal",
      "Menu",
      "Notifications",
      "Pages",
      "Pause",
      "Place",
      "Points",
      "PySolFC",
      "Six",
      "samedeal",
      "six",
    ],
    ...["{clock} min", "{count, plural, one {# minute} other {# minutes}}"],
  ],
};

function messagesOf(language: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (value: Messages[string], path: string) => {
    if (typeof value === "string") found.set(path, value);
    else for (const [name, inner] of Object.entries(value)) visit(inner, `${path}.${name}`);
  };
  visit(JSON.parse(readFileSync(`${FOLDER}/${language}.json`, "utf8")) as Messages, "");
  return found;
}

afterEach(() => useLanguage(SOURCE));

describe("the languages", () => {
  it("match the existing files", () => {
    const files = readdirSync(FOLDER).map((name) => name.replace(".json", ""));
    expect([...LANGUAGES].sort()).toEqual(files.sort());
  });

  it.each(LANGUAGES.filter((each) => each !== SOURCE))("%s is translated", (language) => {
    const [source, own] = [messagesOf(SOURCE), messagesOf(language)];
    const same = [...source].filter(([path, words]) => own.get(path) === words);
    const found = [...new Set(same.map(([, each]) => each))].filter((each) =>
      /\p{Letter}{2}/u.test(each.replaceAll(/\{[^{}]*\}|Samedeal/gu, "")),
    );
    expect(found.sort()).toEqual(SAME[language]);
  });

  it("switch immediately, including texts loaded later", async () => {
    await useLanguage("de");
    expect(text.loading).toBe("Einen Moment …");
    expect(text.account.title).toBe("Dein Konto");
    // The last requested one counts, whichever arrives first.
    await Promise.all([useLanguage("fr"), useLanguage("en"), withText(Promise.resolve())]);
    expect(text.loading).toBe("One moment …");
    expect(text.account.title).toBe("Your account");
  });
});

describe("a screen's texts", () => {
  it("are available whatever the loading order", async () => {
    for (const [first, next] of [
      ["first", "later"],
      ["later", "first"],
    ] as const) {
      vi.resetModules();
      // Modules loaded before arrive sooner.
      await import(`../src/text/generated/en.${first}.ts`);
      const fresh = await import("../src/text/index.ts");
      await Promise.all([fresh.useLanguage("en"), fresh.withText(Promise.resolve())]);
      expect(fresh.text.loading, next).toBe("One moment …");
      expect(fresh.text.account.title, next).toBe("Your account");
    }
  });

  it("are available even if another language is requested meanwhile", async () => {
    vi.resetModules();
    const fresh = await import("../src/text/index.ts");
    const shown = fresh.withText(Promise.resolve());
    void fresh.useLanguage("de");
    await shown;
    expect(fresh.text.account.title).toBe("Dein Konto");
  });
});

describe("words", () => {
  it("name every listed variant, in English as in its game's file", async () => {
    const listed = games.flatMap(({ id, variants }) =>
      variants.slice(1).map((variant) => `${id} ${variant.id}`),
    );
    expect(text.listed).toEqual({});
    expect(variantWords("spider", "two-suits")).toBe("Two suits");
    for (const language of LANGUAGES.filter((each) => each !== SOURCE)) {
      await useLanguage(language);
      expect(Object.keys(text.listed).sort()).toEqual(listed.toSorted());
    }
    await useLanguage("de");
    expect(variantWords("spider", "two-suits")).toBe("Zwei Farben");
    expect(variantWords("spider", "standard")).toBeUndefined();
  });

  it("name cards in natural language", async () => {
    expect(cardWords(parseCard("TH"))).toBe("Ten of hearts");
    expect(anyCardOf([5], "HD")).toBe("a red six");
    await useLanguage("de");
    expect(cardWords(parseCard("TH"))).toBe("Herz-Zehn");
    expect(anyCardOf([5], "HD")).toBe("eine rote Sechs");
    expect(anyCardOf([0, 11], "SC")).toBe("ein schwarzes Ass oder eine schwarze Dame");
    expect(anyCardOf([12], "H")).toBe("ein Herz-König");
    await useLanguage("fr");
    expect(anyCardOf([11, 12], "SC")).toBe("une dame noire ou un roi noir");
  });

  it("count by the rules of their language", async () => {
    expect(text.series.place(22)).toBe("22nd");
    expect(text.start.minutes(0)).toBe("0 minutes");
    expect(text.spoken.cards("Ten of hearts", 1)).toBe("Ten of hearts");
    expect(text.spoken.cards("Ten of hearts", 2)).toBe("Ten of hearts and 1 card on it");
    await useLanguage("fr");
    expect(text.start.minutes(0)).toBe("0 minute");
    expect(text.series.place(1)).toBe("1er");
  });

  it("name the help used", () => {
    expect(marksOf({ undos: 3, hints: 1, peeked: false })).toBe("3 undos, 1 hint");
    expect(marksOf({ undos: 0, hints: 0, peeked: false })).toBe("");
  });

  it("do not confuse a player named null with no player", () => {
    expect(text.ghostEnd.level(null)).toBe("Level with your earlier run.");
    expect(text.ghostEnd.level("null")).toBe("Level with null’s run.");
  });
});

describe("languageOf", () => {
  it.each([
    [["de-AT", "en"], "de"],
    [["it", "en-GB"], "en"],
    [["FR-ca"], "fr"],
    [["it"], "en"],
    [[], "en"],
  ])("for %s is %s", (asked, language) => {
    expect(languageOf(asked)).toBe(language);
  });
});

describe("the rules in words", () => {
  const variants = games.flatMap(({ id, variants: all }) =>
    all.map((one) => [id, one.id] as const),
  );

  it.each(variants)("cover all of %s, %s, in every language", async (game, variant) => {
    const { rules, redeals } = findRuleset(game, variant);
    for (const language of LANGUAGES) {
      await useLanguage(language);
      const said = rulesOf(findRuleset(game, variant)).flatMap(({ words }) => words);
      expect(said.join(" ")).not.toMatch(/undefined|NaN|1000000|[{}]/);
      expect(new Set(said).size).toBe(said.length);
      expect(said.includes(text.howTo.redealsEndless)).toBe(redeals === ENDLESS);
      expect(said.includes(text.howTo.takeBack)).toBe(
        rules.foundations.some(({ plays }) => plays.length > 0),
      );
      expect(said.includes(text.howTo.rowNeedsAll)).toBe(!rules.stock.row_on_empty);
      if (rules.stock.turns > 1) expect(said.join(" ")).toContain(`${rules.stock.turns}`);
    }
  });

  it.each(games.map(({ id }) => id))("describe all parts of %s", (id) => {
    const rules = rulesOf(findRuleset(id));
    const { tableau, waste, reserve, cells, stock } = findRuleset(id).rules;
    const parts = [tableau, reserve, cells, stock.plays.length > 0 ? stock : null];
    expect(rules).toHaveLength(1 + parts.filter((part) => part !== null).length);
    for (const { title, words } of rules) {
      expect(title).not.toBe("");
      expect(words.join(" ")).not.toMatch(/undefined|NaN/);
      expect(words.length).toBeGreaterThan(0);
    }
    expect(rules[0]?.example.length).toBeGreaterThanOrEqual(2);
    expect(new Set(rules[0]?.example).size).toBe(rules[0]?.example.length);
    const all = rules.flatMap(({ words }) => words).join(" ");
    if (waste?.redeals === 2) expect(all).toContain("twice");
  });

  it("have a summary for each game, and a few words for lists", () => {
    const ids = games.map(({ id }) => id).sort();
    expect(Object.keys(text.rules.leads).sort()).toEqual(ids);
    expect(Object.keys(text.howTo.summaries).sort()).toEqual(ids);
  });

  it("describe the effect of a tap", () => {
    const said = (game: string) => tapWords(findRuleset(game));
    expect(said("lady-betty")).toContain("then the pile");
    expect(said("robert")).not.toContain("run");
    for (const game of ["roosevelt", "rouge-et-noir", "deuces"]) {
      expect(said(game)).toContain("the longest run");
    }
  });

  it("show legal examples", () => {
    const ruleset = findRuleset("roosevelt");
    const [, columns] = rulesOf(ruleset);
    const [jack = 0, ten = 0, nine = 0] = columns?.example ?? [];
    expect(ruleset.builds(jack, ten) && ruleset.builds(ten, nine)).toBe(true);
  });
});
