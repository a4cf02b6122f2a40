import { describe, expect, it } from "vitest";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { rulesOf, tapWords } from "../src/practice/ruleWords.ts";
import { boardCatalogues } from "../src/text/boards.ts";
import { accountCatalogues } from "../src/text/account.ts";
import { checkCatalogues } from "../src/text/check.ts";
import { couldCatalogues } from "../src/text/could.ts";
import { daysCatalogues } from "../src/text/days.ts";
import { de } from "../src/text/de.ts";
import { emoteCatalogues } from "../src/text/emotes.ts";
import { en } from "../src/text/en.ts";
import { hostCatalogues } from "../src/text/host.ts";
import { howTos } from "../src/text/howTo.ts";
import { languageOf } from "../src/text/index.ts";
import { proofCatalogues } from "../src/text/proofs.ts";
import { momentsCatalogues } from "../src/text/moments.ts";
import { replayCatalogues } from "../src/text/replay.ts";
import { roundsCatalogues } from "../src/text/rounds.ts";
import { sensesCatalogues } from "../src/text/senses.ts";
import { seatedCatalogues } from "../src/text/seated.ts";
import { settingsCatalogues } from "../src/text/settings.ts";
import { trackCatalogues } from "../src/text/track.ts";
import { watchCatalogues } from "../src/text/watch.ts";

/** All texts in a language. */
const catalogue = (spoken: "en" | "de") => ({
  ...{ en, de }[spoken],
  boards: boardCatalogues[spoken],
  emotes: emoteCatalogues[spoken],
  host: hostCatalogues[spoken],
  howTo: howTos[spoken],
  check: checkCatalogues[spoken],
  could: couldCatalogues[spoken],
  days: daysCatalogues[spoken],
  proofs: proofCatalogues[spoken],
  moments: momentsCatalogues[spoken],
  replay: replayCatalogues[spoken],
  rounds: roundsCatalogues[spoken],
  senses: sensesCatalogues[spoken],
  seated: seatedCatalogues[spoken],
  settings: settingsCatalogues[spoken],
  account: accountCatalogues[spoken],
  track: trackCatalogues[spoken],
  watching: watchCatalogues[spoken],
});

/** Every text of a catalogue, with its path. Functions are left out. */
function* textsOf(value: unknown, path = ""): Generator<[string, string]> {
  if (typeof value === "string") yield [path, value];
  else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) yield* textsOf(inner, `${path}.${name}`);
  }
}

describe("the catalogues", () => {
  it("have the same keys in every language, and no empty text", () => {
    const [english, german] = [
      new Map(textsOf(catalogue("en"))),
      new Map(textsOf(catalogue("de"))),
    ];
    expect([...german.keys()].sort()).toEqual([...english.keys()].sort());
    expect([...english, ...german].filter(([, words]) => words.trim() === "")).toEqual([]);
  });

  it("are translated, except names", () => {
    const german = new Map(textsOf(catalogue("de")));
    const same = [...textsOf(catalogue("en"))].filter(
      ([path, words]) => german.get(path) === words,
    );
    const names = /^\.(product|wordmark|name\.label|settings\.languages)/;
    expect(same.map(([path]) => path).filter((path) => !names.test(path))).toEqual([]);
  });

  it("name cards in natural language", () => {
    expect(en.cards.anyOf([5], "HD")).toBe("a red six");
    expect(de.cards.anyOf([5], "HD")).toBe("eine rote Sechs");
    expect(de.cards.anyOf([0, 11], "SC")).toBe("ein schwarzes Ass oder eine schwarze Dame");
    expect(de.cards.anyOf([12], "H")).toBe("ein Herz-König");
  });
});

describe("languageOf", () => {
  it.each([
    [["de-AT", "en"], "de"],
    [["fr", "en-GB"], "en"],
    [["DE"], "de"],
    [["fr"], "en"],
    [[], "en"],
  ])("for %s is %s", (asked, language) => {
    expect(languageOf(asked)).toBe(language);
  });
});

describe("the rules in words", () => {
  it.each(games.map(({ id }) => id))("describe all parts of %s", (id) => {
    const rules = rulesOf(findRuleset(id));
    const { tableau, waste } = findRuleset(id).rules;
    expect(rules).toHaveLength(tableau === null ? 2 : 3);
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
    for (const spoken of ["en", "de"] as const) {
      const { rules, howTo } = catalogue(spoken);
      const ids = games.map(({ id }) => id).sort();
      expect(Object.keys(rules.leads).sort()).toEqual(ids);
      expect(Object.keys(howTo.summaries).sort()).toEqual(ids);
    }
  });

  it("say what a tap does", () => {
    const said = (game: string) => tapWords(findRuleset(game));
    expect(said("lady-betty")).toContain("then the pile");
    expect(said("robert")).not.toContain("run");
    for (const game of ["roosevelt", "rouge-et-noir", "deuces"]) {
      expect(said(game)).toContain("the longest run");
    }
  });

  it("show examples that are legal", () => {
    const ruleset = findRuleset("roosevelt");
    const [, columns] = rulesOf(ruleset);
    const [jack = 0, ten = 0, nine = 0] = columns?.example ?? [];
    expect(ruleset.builds(jack, ten) && ruleset.builds(ten, nine)).toBe(true);
  });
});
