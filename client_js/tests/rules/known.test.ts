/** Known deals: numbered ones of the classic program, and pasted ones. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Board } from "../../src/rules/board.ts";
import { type Pile, cardName, isDown, parsePile, turnedUp } from "../../src/rules/cards.ts";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { commitment, dealSeed, layOut, parseSeed, shuffled } from "../../src/rules/deal.ts";
import { knownName, knownSeed, numberOf, numberedDeck } from "../../src/rules/known.ts";
import { pastedDeal, pastedSeed } from "../../src/rules/pasted.ts";
import type { About, PastedError } from "../../src/rules/pastedLines.ts";
import type { Ruleset } from "../../src/rules/ruleset.ts";
import { verify } from "../../src/rules/verify.ts";

/** As printed in many places; `tests/engine/test_known.py` has the same. */
const PRINTED: Readonly<Record<number, string>> = {
  1: `JD 2D 9H JC 5D 7H 7C 5H KD KC 9S 5S AD QC KH 3H 2S KS 9D QD JS AS AH 3C
      4C 5C TS QH 4H AC 4D 7S 3S TD 4S TH 8H 2C JH 7D 6D 8S 8D QS 6C 3D 8C TC 6S 9C 2H 6H`,
  617: `7D AD 5C 3S 5S 8C 2D AH TD 7S QD AC 6D 8H AS KH TH QC 3H 9D 6S 8D 3D TC
        KD 5H 9S 3C 8S 7H 4D JS 4C QS 9C 9H 7C 6H 2C 2S 4S TS 2H 5D JC 6C JH QH JD KS KC 4H`,
  11982: `AH AS 4H AC 2D 6S TS JS 3D 3H QS QC 8S 7H AD KS KD 6H 5S 4D 9H JH 9S 3C
          JC 5D 5C 8C 9D TD KH 7C 6C 2C TH QH 6D TC 4S 7S JD 7D 8H 9C 2H QD 4C 5H KC 8D 2S 3S`,
};

/** Deal 24 of both programs, from Freecell Solver's documentation. */
const DEAL_24 = `4C 2C 9C 8C QS 4S 2H
5H QH 3C AC 3H 4H QD
QC 9S 6H 9H 3S KS 3D
5D 2S JC 5C JH 6D AS
2D KD TH TC TD 8D
7H JS KH TS KC 7C
AH 5S 6S AD 8H JD
7S 6C 7D 4D 8S 9D
`;

/** An entry of the vectors: a text, and its deck or the reason for its refusal. */
interface Entry {
  /** The program whose number or text it is, with its version. */
  readonly program?: string;
  readonly game: string;
  readonly deck?: string;
}

interface Known extends Entry {
  readonly known: string;
  readonly code?: string;
}

interface Given extends Entry {
  readonly text: string;
  readonly number?: string;
  readonly about?: Partial<About>;
}

const entriesOf = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../tests/vectors/${name}.json`, import.meta.url), "utf8"));

const KNOWN = entriesOf("known") as Known[];
const PASTED = entriesOf("pasted") as Given[];

const freecell = findRuleset("freecell");
const rulesOf = (names: string) => {
  const [game = "", variant] = names.split(" ");
  return findRuleset(game, variant);
};
const hex = (deck: Pile) => Buffer.from(deck).toString("hex");
const about = (ruleset: Ruleset, text: string) => {
  try {
    pastedSeed(ruleset, text);
  } catch (error) {
    const { code, about: found } = error as PastedError;
    return { code, ...found };
  }
  return null;
};

test.each([1, 617, 11_982])(
  "deal %i is the classic program's, and is recognized by its cards",
  (number) => {
    const deck = parsePile(PRINTED[number]?.trim().split(/\s+/) ?? []);
    expect(numberedDeck(number)).toEqual(deck);
    expect(numberOf(deck)).toBe(number);
    expect(knownSeed(freecell, String(number))).toBe(hex(deck));
    expect(knownName(hex(deck))).toBe(String(number));
  },
);

test.each(KNOWN)("the known deal $known of $game", (entry) => {
  const { game, known, deck, code } = entry;
  const seed = () => knownSeed(findRuleset(game), known);
  if (deck === undefined) expect(seed).toThrow(expect.objectContaining({ code }));
  else expect([...Buffer.from(seed(), "hex")].map(cardName).join(" ")).toBe(deck);
});

test.each(PASTED)("the pasted deal of $game in $text", (entry) => {
  const { game, text, deck, number = null, about: wanted } = entry;
  const ruleset = rulesOf(game);
  if (deck === undefined) {
    expect(about(ruleset, text)).toMatchObject(wanted!);
    return;
  }
  const seed = hex(parsePile(deck.split(" ")));
  expect(pastedDeal(ruleset, text)).toEqual({ seed, number });
  if (number !== null) expect(knownSeed(ruleset, number)).toBe(seed);
});

test("the number of a deck is sought among the first million", () => {
  const deck = numberedDeck(1_000_000);
  expect(numberOf(deck)).toBe(1_000_000);
  expect(numberOf(numberedDeck(1_000_001))).toBeNull();
  expect(numberOf(deck.toReversed())).toBeNull();
  expect(numberOf([...deck, ...deck])).toBeNull();
  expect(knownName(hex(deck.toReversed()))).toBe(hex(deck.toReversed()));
});

test.each([
  ["ab".repeat(52), "bad_seed"],
  ["00".repeat(52), "bad_deck"],
  ["00".repeat(32), "bad_deck"],
  ["", "bad_seed"],
])("%s is not a known deal", (text, code) => {
  expect(() => knownSeed(freecell, text)).toThrow(expect.objectContaining({ code }));
});

test("numbers apply to every variant that deals as FreeCell does", () => {
  for (const { variants } of games.filter(({ id }) => id === "freecell")) {
    for (const { id } of variants) {
      expect(knownSeed(findRuleset("freecell", id), "24")).toBe(hex(numberedDeck(24)));
    }
  }
  const other = findRuleset("freecell", "tableau.deal=6 6 6 6 7 7 7 7");
  expect(about(other, "24")).toMatchObject({ code: "bad_deck", problem: "numbers" });
});

test("the deck takes the place of the seed, and is committed as such", () => {
  const seed = knownSeed(freecell, "11982");
  const board = dealSeed(freecell, parseSeed(seed));
  expect(board).toEqual(layOut(freecell, numberedDeck(11_982)));
  const open = { deal: "rw4kq8d2n6vx1zt7", game: "freecell", variant: "standard", seed };
  const promised = commitment(open.deal, parseSeed(seed));
  expect(verify({ ...open, commitment: promised })).toEqual({
    ...{ agrees: true, commitment: promised, board },
  });
  expect(() => verify({ ...open, game: "spider", commitment: promised })).toThrow(
    expect.objectContaining({ code: "bad_deck" }),
  );
});

test("a deck is read unchanged", () => {
  const deck = hex(numberedDeck(617));
  expect(pastedSeed(freecell, ` ${deck.toUpperCase()}\n`)).toBe(deck);
});

test.each([
  ["as it is", DEAL_24],
  ["with tens", DEAL_24.replaceAll("T", "10")],
  ["in small letters", DEAL_24.toLowerCase()],
  ["with signs", DEAL_24.replaceAll("S", "♠").replaceAll("H", "♥\ufe0f").replaceAll("D", "♢")],
  [
    "as a solver writes it",
    `# Deal 24\n\nFoundations: H-0 C-0 D-0 S-0 \r\nFreecells:  -  -  -  -\r\n${DEAL_24.replaceAll(
      /^(?=.)/gm,
      ": ",
    )}`,
  ],
])("PySolFC's text is read %s", (_, text) => {
  expect(pastedSeed(freecell, text)).toBe(hex(numberedDeck(24)));
});

function written({ ruleset, piles }: Board): string {
  const cards = (pile: number) =>
    (piles[pile] ?? [])
      .map((card) => (isDown(card) ? `<${cardName(card).slice(1)}>` : cardName(card)))
      .join(" ");
  const home = ruleset.foundations.map((pile) => cards(pile).replace(/^(.)(.)$/, "$2-$1"));
  const stock = turnedUp(piles[ruleset.stock] ?? []).toReversed();
  return [
    `Foundations: ${home.join(" ")}`,
    ...(ruleset.cells.length > 0 ? [`Freecells:${" -".repeat(ruleset.cells.length)}`] : []),
    ...(stock.length > 0 ? [`Talon: ${stock.map(cardName).join(" ")}`] : []),
    ...ruleset.reserve.map((pile) => `Reserve: ${cards(pile)}`),
    ...ruleset.tableau.map((pile) => cards(pile)).filter((column) => column !== ""),
  ].join("\n");
}

const VARIANTS = games.flatMap(({ id, variants }) =>
  variants.map((variant): [string, string] => [id, variant.id]),
);

test.each(VARIANTS)("the text of a deal of %s, %s, reproduces it", (game, variant) => {
  const ruleset = findRuleset(game, variant);
  for (let nth = 0; nth < 5; nth++) {
    const rest = [...shuffled(ruleset.pack, new Uint8Array(32).fill(nth))];
    // Their position in a deck makes no difference; they are read first.
    const first = [...ruleset.laidOut().values()];
    for (const card of first) rest.splice(rest.indexOf(card), 1);
    const deck = [...first, ...rest];
    expect(pastedSeed(ruleset, written(layOut(ruleset, deck)))).toBe(hex(deck));
  }
});

test("columns may be listed from last to first, and empty ones represent themselves", () => {
  const klondike = findRuleset("klondike");
  const lines = written(layOut(klondike, numberedDeck(5))).split("\n");
  const columns = lines.slice(2).toReversed();
  expect(pastedSeed(klondike, [...lines.slice(0, 2), ...columns].join("\n"))).toBe(
    hex(numberedDeck(5)),
  );
  const betty = findRuleset("lady-betty");
  const text = `Stock: ${numberedDeck(5).map(cardName).join(", ")}\n${":\n".repeat(6)}`;
  expect(pastedSeed(betty, text)).toBe(hex(numberedDeck(5)));
});

test.each([
  ["", { code: "bad_seed", problem: "empty" }],
  ["# nothing", { code: "bad_seed", problem: "empty" }],
  ["0", { code: "bad_deck", problem: "range" }],
  ["9".repeat(400), { code: "bad_deck", problem: "range" }],
  ["Hello you", { code: "bad_card", problem: "word", line: 1, word: "Hello" }],
  [DEAL_24.replace("AC", "1X"), { code: "bad_card", problem: "word", line: 2, word: "1X" }],
  [`Wrong: 5H\n${DEAL_24}`, { code: "bad_card", problem: "word", line: 1, word: "Wrong" }],
  [DEAL_24.replace("AC", "AD"), { code: "bad_deck", problem: "twice", card: 26, missing: 39 }],
  [DEAL_24.replace("AC ", ""), { problem: "height", line: 2, count: 6, wanted: 7 }],
  [DEAL_24.slice(0, DEAL_24.indexOf("7S")), { problem: "columns", count: 7, wanted: 8 }],
  [`${DEAL_24}AC`, { problem: "columns", count: 9, wanted: 8, line: 9 }],
  [`FC: AC\n${DEAL_24}`, { problem: "begun", line: 1 }],
  [`Foundations: H-A\n${DEAL_24}`, { problem: "home", line: 1, count: 1, wanted: 0 }],
  [`Talon: AC\n${DEAL_24}`, { problem: "stock", line: 1, count: 1, wanted: 0 }],
  [`Reserve: AC\n${DEAL_24}`, { problem: "reserve", line: 1, count: 1, wanted: 0 }],
])("the fault of '%s' is reported", (text, expected) => {
  expect(about(freecell, text)).toMatchObject(expected);
});
