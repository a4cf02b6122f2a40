/** Known deals on the page: parsing, messages, and storage. */

import { beforeAll, describe, expect, it, test } from "vitest";
import { cardName, parsePile } from "../../src/rules/cards.ts";
import { findRuleset } from "../../src/rules/catalog.ts";
import { knownSeed, numberedDeck } from "../../src/rules/known.ts";
import { legalMoves } from "../../src/rules/moves.ts";
import { markOf } from "../src/parts/known/mark.ts";
import { readingOf } from "../src/parts/known/reading.ts";
import { beginPractice, knownBy } from "../src/practice/beginning.ts";
import { Practice } from "../src/practice/practice.svelte.ts";
import { sameTerms, termsOf, termsWords, uncertainWords } from "../src/race/terms.ts";
import { withOwnText } from "../src/text/index.ts";
import { MemoryStorage } from "./storage.ts";

const freecell = findRuleset("freecell");
const seed = knownSeed(freecell, "11982");
const unnumbered = knownSeed(freecell, seed).replace(/^(..)(..)/, "$2$1");

beforeAll(() => withOwnText("known", Promise.resolve()));

describe("pasted text", () => {
  it("is empty, or a deal", () => {
    expect(readingOf(freecell, " \n")).toBeNull();
    expect(readingOf(freecell, "#11982")).toMatchObject({ seed, problem: null });
  });

  it("has its number or its cards as its name", () => {
    const named = (text: string) => readingOf(freecell, text)?.name;
    expect(named("Deal: 1000001")).toBe("1000001");
    expect(named("#00000000000000100000")).toBe("00000000000000100000");
    expect([named(seed), named(unnumbered)]).toEqual(["11982", unnumbered]);
  });

  /** The deal's columns in pasted form. */
  const columns = Array.from({ length: 8 }, (_, pile) =>
    numberedDeck(11_982)
      .filter((_card, at) => at % 8 === pile)
      .map(cardName)
      .join(" "),
  );
  const text = columns.join("\n");

  it.each([
    ["#", "There are no cards in it."],
    ["8589934592", "The numbers go from 1 to 8,589,934,591."],
    [
      `Freecells: AH 3D KD JC\n${"2S 3S 4S 5S 6S 7S\n".repeat(8)}`,
      "Line 1: cards in the cells. This is a deal of ForeCell, a different game.",
    ],
    [text.replace("AH", "Ah?"), "Line 1: “Ah?” isn’t a card."],
    [text.replace("AH", "KH"), "Too many: King of hearts. Missing: Ace of hearts."],
    [text.replace("AH ", ""), "Line 1 has 6 cards, and should have 7."],
    [columns.slice(1).join("\n"), "7 lines of cards for 8 piles."],
    [`Freecells: AH\n${text}`, "Line 1: that game has already started. Paste it as it was dealt."],
    [`Talon: AH\n${text}`, "1 card in the stock (Talon), and there should be 0."],
    [`Foundations: AH\n${text}`, "1 card on the foundations, and there should be 0."],
    [`Reserve: AH\n${text}`, "1 line for the reserve, and there should be 0."],
    ["00".repeat(52), "These are not the cards of this game."],
  ])("'%s' gets its fault as the answer", (pasted, problem) => {
    expect(readingOf(freecell, pasted)).toMatchObject({ seed: null, board: null, problem });
  });

  it("is a number only for FreeCell", () => {
    const problem = expect.stringContaining("Only FreeCell deals have numbers here");
    for (const game of ["spider", "klondike"]) {
      expect(readingOf(findRuleset(game), "11982")).toMatchObject({ problem });
    }
  });
});

test("a known deal is recognized by the value in place of a seed", () => {
  expect(markOf("ab".repeat(32))).toBeNull();
  expect(markOf(seed)).toBe("Known deal 11982");
  expect(markOf(unnumbered)).toBe("Known deal");
});

describe("practice on a known deal", () => {
  it("deals its cards, and resumes it", () => {
    const storage = new MemoryStorage();
    const practice = new Practice("freecell", storage);
    practice.deal(undefined, seed);
    const [move] = legalMoves(practice.view);
    expect(practice.play(move!)).toBe(true);
    const again = new Practice("freecell", storage);
    expect([again.seed, again.view]).toEqual([seed, practice.view]);
    again.restart();
    expect(again.view.piles[4]).toEqual(parsePile("AH 3D KD JC 6C JD KC".split(" ")));
    again.deal();
    expect(markOf(again.seed)).toBeNull();
  });

  it("asks before it replaces a game", () => {
    const storage = new MemoryStorage();
    const practice = new Practice("freecell", storage);
    practice.play(legalMoves(practice.view)[0]!);
    const known = knownBy(freecell, seed);
    expect(beginPractice(known, storage)).toBe(1);
    expect(beginPractice(known, storage, true)).toBe(0);
    expect(new Practice("freecell", storage).seed).toBe(seed);
  });

  it("is not resumed with the cards of another game", () => {
    const storage = new MemoryStorage();
    storage.setItem("samedeal.practice.spider", JSON.stringify({ seed, moves: [] }));
    const { lost, seed: other } = new Practice("spider", storage);
    expect([lost, markOf(other)]).toEqual([true, null]);
  });
});

test("terms name winnable deals only where the server certifies them", () => {
  const terms = { game: "lady-betty", variant: "standard", limit: 600, winnable: true };
  const words = "Lady Betty, winnable deals, 10 minutes";
  const none = "Lady Betty, 10 minutes";
  expect(termsWords(terms)).toBe(words);
  expect(termsWords({ ...terms, winnable: false })).toBe(none);
  expect(termsWords(terms, { games: [] })).toBe(none);
  // Its best result is unknown, and its variants have no dailies.
  expect(termsWords({ ...terms, game: "robert" })).toBe("Robert, 10 minutes");
  expect(termsWords({ ...terms, game: "deuces", variant: "strict" })).toBe(
    "Deuces: Single cards only, 10 minutes",
  );
  expect(uncertainWords(null, terms)).toContain("nobody knows");
  expect(uncertainWords({ games: [] }, terms)).toBeNull();
});

test("terms name their known deal", () => {
  const terms = { game: "freecell", variant: "standard", limit: 600 };
  const known = { ...terms, known: "11982" };
  expect(termsWords(known)).toBe("FreeCell, Known deal 11982, 10 minutes");
  expect(termsWords({ ...terms, known: "8589934591" })).toContain("Known deal 8589934591");
  // Longer ones do not fit on a phone.
  for (const long of ["00000000000000100000", seed]) {
    expect(termsWords({ ...terms, known: long })).toBe("FreeCell, Known deal, 10 minutes");
  }
  expect(termsOf(known)).toEqual({ ...known, help: "none", winnable: false });
  expect([sameTerms(terms, termsOf(terms)), sameTerms(terms, known)]).toEqual([true, false]);
});
