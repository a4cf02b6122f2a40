/** Targets of deals, on every screen: all cards, par, or the most so far. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { PARS, isForAll, isForPar, rulesetOf, scaleOf, targetOf } from "../src/app/targets.ts";
import { afterWords } from "../src/daily/after.ts";
import { beforeWords } from "../src/daily/known.ts";
import { scopesOf } from "../src/leaderboard/scopes.ts";
import { provedOf } from "../src/practice/par.ts";
import { rulesOf } from "../src/parts/rules/ruleWords.ts";
import type { Answer, Ask } from "../src/solver/protocol.ts";
import { reachedWords, useLanguage } from "../src/text/index.ts";

const RESULTS = readFileSync(
  fileURLToPath(new URL("../../../engine/solver/RESULTS.md", import.meta.url)),
  "utf8",
);

const robert = findRuleset("robert");
const deuces = findRuleset("deuces");
const par = { winnable: false, par: 34, level: 2 } as const;

describe("the statement about all deals of a game", () => {
  const rows = [
    ...RESULTS.matchAll(/^\| ([a-z-]+) \| ([\w-]+) \| \w+ \| [^|]+ \| ([\d,]+) \| ([\d,]+) \|/gm),
  ];
  const counted = (text = ""): number => Number(text.replaceAll(",", ""));

  it("matches the engine's findings: whether any can be won", () => {
    const known = rows.map(([, game = "", variant]) => [game, variant]);
    // For the others, no one has found out which can be won.
    for (const { id, variants } of games.filter(({ listing }) => listing.daily)) {
      for (const variant of variants) expect(known).toContainEqual([id, variant.id]);
    }
    for (const [, game = "", variant, deals, won] of rows) {
      expect(isForAll(findRuleset(game, variant)), game).toBe(counted(won) > 0);
      if (counted(won) === 0) expect(counted(deals)).toBe(PARS.deals);
    }
  });

  it("matches the engine's findings: the usual pars", () => {
    const [, low, high, middle] =
      /the middle 90 % from (\d+) to (\d+), the median (\d+)/.exec(RESULTS) ?? [];
    expect(PARS).toMatchObject({ low: Number(low), high: Number(high), middle: Number(middle) });
  });
});

describe("a target", () => {
  it.each([
    ["deuces", {}, { kind: "all", home: 104 }],
    ["deuces", { best: 51, own: 60 }, { kind: "all", home: 104 }],
    ["deuces", { certificate: { winnable: true, par: 240 } }, { kind: "all", home: 104 }],
    ["deuces", { certificate: { winnable: false, par: 96 } }, { kind: "par", home: 96 }],
    ["robert", { certificate: par, best: 31, own: 40 }, { kind: "par", home: 34 }],
    ["robert", { certificate: { winnable: true, par: 99 } }, { kind: "all", home: 52 }],
    ["robert", { certificate: null, best: 31, own: 40 }, { kind: "best", home: 31 }],
    ["robert", { best: null, own: 40 }, { kind: "own", home: 40 }],
    ["robert", {}, null],
  ])("of %s, knowing %j, is %j", (game, known, target) => {
    expect(targetOf(findRuleset(game), known)).toEqual(target);
  });

  it("is null for a game unknown to this page", () => {
    expect(rulesetOf("bridge")).toBeNull();
    expect(rulesetOf("robert")).toBe(robert);
    expect(["robert", "deuces", "bridge", "all"].filter(isForPar)).toEqual(["robert"]);
  });
});

describe("a scale", () => {
  it("ends at all cards home, if these are the target", () => {
    expect(scaleOf(deuces, [3])).toBe(104);
  });

  it("otherwise extends beyond the reachable or usual number", () => {
    expect(scaleOf(robert, [1, 20], { kind: "par", home: 20 })).toBe(23);
    expect(scaleOf(robert, [1, 20])).toBe(40);
    expect(scaleOf(robert, [], { kind: "own", home: 12 })).toBe(40);
    expect(scaleOf(robert, [], { kind: "best", home: 40 })).toBe(46);
  });

  it("has room for all runs, and never for more cards than exist", () => {
    expect(scaleOf(robert, [44, 3])).toBe(44);
    expect(scaleOf(robert, [], { kind: "par", home: 48 })).toBe(52);
  });
});

describe("the achieved number", () => {
  it.each([
    [38, { kind: "all", home: 52 }, "38 of 52 home", "38 von 52 zu Hause"],
    [28, { kind: "par", home: 34 }, "28 home, par\u00a034", "28 zu Hause, Par\u00a034"],
    [34, { kind: "par", home: 34 }, "34 home, and that’s par", "34 zu Hause, das ist Par"],
    [
      28,
      { kind: "best", home: 31 },
      "28 home, best so far 31",
      "28 zu Hause, bisher am weitesten: 31",
    ],
    [
      31,
      { kind: "best", home: 31 },
      "31 home, the best so far",
      "31 zu Hause, weiter kam noch niemand",
    ],
    [28, { kind: "own", home: 31 }, "28 home, your best is 31", "28 zu Hause, dein Rekord ist 31"],
    [33, { kind: "own", home: 31 }, "33 home, your best yet", "33 zu Hause, dein Rekord"],
    [18, null, "18 home", "18 zu Hause"],
  ] as const)("is in words for %i cards against %j", async (home, target, english, german) => {
    expect(reachedWords(home, target)).toBe(english);
    await useLanguage("de");
    expect(reachedWords(home, target)).toBe(german);
    await useLanguage("en");
  });
});

describe("a daily's deal", () => {
  it.each([
    [deuces, { ...par, winnable: true }, null, /^This one can be won\.$/],
    [robert, par, null, /^Par is 34 home\. No one can bring more\.$/],
    [deuces, null, null, /No one knows whether it can be won\. .* the first run sets the mark\.$/],
    [deuces, null, 51, /No one knows whether it can be won\. The run to beat has 51 home\.$/],
    [robert, null, 31, /No one knows its par\. The run to beat has 31 home\.$/],
  ])("before play", (ruleset, certificate, best, said) => {
    expect(beforeWords(ruleset, certificate, best)).toMatch(said);
  });

  it.each([
    [robert, 31, 28, /its par\. The run to beat has 31 home\. .* try to work it out\.$/],
    [robert, 31, 31, /its par\. No one has got further so far\. Once/],
    [deuces, null, 28, /it can be won\. Once the day is closed/],
  ])("without a certificate, after play", (ruleset, best, home, said) => {
    expect(afterWords(ruleset, best, home)).toMatch(said);
  });
});

describe("an unwinnable game", () => {
  it("has rules that ask for as many cards home as possible", () => {
    const goal = (game: string) => rulesOf(findRuleset(game))[0]?.words[0];
    expect(goal("deuces")).toBe("Bring all 104 cards home to the foundations.");
    expect(goal("robert")).toMatch(/as many of the 52 cards home as you can.* usually 27 to 41\.$/);
  });

  it("has no leaderboard of wins", () => {
    expect(scopesOf("robert")).not.toContain("wins");
    expect(scopesOf("robert")).toContain("best");
    expect(scopesOf("deuces")).toContain("wins");
    expect(scopesOf("all")).toEqual(["day", "week", "wins", "races"]);
    expect(scopesOf("bridge")).toContain("wins");
    expect(scopesOf("deuces", false)).toEqual(["best", "rating", "races"]);
    // There may have been some earlier.
    expect(scopesOf("deuces", false, "day")).toEqual(["day", "best", "rating", "races"]);
  });
});

describe("the proof about a practice deal", () => {
  const review = { line: [], winnable: null, lost: 0, prospects: [] };
  const lost = { ...review, verdict: "impossible", home: 34, most: true } as const;
  const dealt = { ruleset: robert, seed: "5a".repeat(32) };

  /** A solver with immediate answers; records its questions and stops. */
  function solverThat(...answers: readonly Answer[]) {
    const seen = { asked: [] as Ask[], stopped: 0 };
    const solver = {
      ask(ask: Ask, receive: (answer: Answer) => void) {
        seen.asked.push(ask);
        for (const answer of answers) receive(answer);
        return () => undefined;
      },
      stop: () => void seen.stopped++,
    };
    return { seen, solver };
  }

  it("is found by the solver, which is stopped afterwards", async () => {
    const { seen, solver } = solverThat(
      { kind: "review", review: { ...lost, home: 20, most: false }, done: false },
      { kind: "review", review: lost, done: true },
    );
    expect(await provedOf(dealt, solver)).toEqual({ winnable: false, par: 34 });
    const { digest: rules } = robert;
    const asked = { game: "robert", variant: "standard", rules, seed: dealt.seed, moves: [] };
    expect(seen.asked).toEqual([{ kind: "review", ...asked, line: null }]);
    expect(seen.stopped).toBe(1);
  });

  it.each<Answer>([
    { kind: "failed", message: "Something else was asked." },
    { kind: "review", review: { ...lost, most: false }, done: true },
  ])("is null if the solver answers %j", async (answer) => {
    expect(await provedOf(dealt, solverThat(answer).solver)).toBeNull();
  });
});
