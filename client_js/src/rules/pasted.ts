/**
 * Known deals from pasted text: a deal's number, or its cards.
 *
 * The text format is PySolFC's and Freecell Solver's, as written by `pysol_cards/deal_game.py`
 * and `make_pysol_freecell_board.py`: one line per column, its top card last, with cards such as
 * `TH` or `10H`, and face-down cards such as `<TH>`. Lines such as `Foundations: H-0 C-A`,
 * `Freecells: - -`, and `Talon: 5H KC` (in dealing order) may precede them. The rules alone
 * determine where the cards go.
 */

import { bytesToHex } from "./sha256.ts";
import { type Card, PACK_SIZE, type Pile, RANKS, SUITS, cardName, cardOf } from "./cards.ts";
import { EngineError, type EngineErrorCode } from "./errors.ts";
import { LAST_DEAL, knownSeed, numberedDeck } from "./known.ts";
import type { Ruleset } from "./ruleset.ts";

/** A fault of the text; the page's `knownProblems` has a sentence for each. */
export type Problem =
  | "empty"
  | "range"
  | "numbers"
  | "word"
  | "columns"
  | "height"
  | "reserve"
  | "stock"
  | "home"
  | "begun"
  | "twice";

/** A problem and its details, where they apply. */
export interface About {
  readonly problem: Problem;
  /** The number of the line, from 1. */
  readonly line?: number;
  readonly word?: string;
  /** The card that occurs too often, and a missing card. */
  readonly card?: Card;
  readonly missing?: Card;
  /** The actual and the expected number of cards or columns. */
  readonly count?: number;
  readonly wanted?: number;
}

/** Thrown for a text that is not a deal of the game. */
export class PastedError extends EngineError {
  readonly about: About;

  constructor(code: EngineErrorCode, message: string, about: About) {
    super(code, message);
    this.name = "PastedError";
    this.about = about;
  }
}

interface Line {
  readonly number: number;
  readonly words: readonly string[];
}

/** The lines of a text by their labels; columns have none. */
interface Lines {
  readonly columns: Line[];
  readonly home: Line[];
  readonly reserve: Line[];
  readonly stock: Line[];
  /** Places that are empty at the start of every game. */
  readonly empty: Line[];
}

const LABELS: Readonly<Record<string, keyof Lines>> = {
  ...{ foundations: "home", founds: "home", talon: "stock", stock: "stock" },
  ...{ reserve: "reserve", freecells: "empty", fc: "empty", waste: "empty" },
};

const SYMBOLS: Readonly<Record<string, string>> = {
  ...{ "♠": "S", "♥": "H", "♦": "D", "♣": "C", "♤": "S", "♡": "H", "♢": "D", "♧": "C" },
};

/** Matches `11982`, `#11982`, `Game #11982` and `FreeCell deal 11982`. */
const NUMBERED = /^(?:[\p{L} ]+ )?(?:no\. *|nr\. *|n° *)?# *(\d+)$|^(?:[\p{L} ]+ )?(\d+)$/iu;

/** Return the hexadecimal deck of the deal in a text; throw a `PastedError`. */
export function pastedSeed(ruleset: Ruleset, text: string): string {
  const pasted = text.trim();
  if (/^(?:[0-9a-f]{104}){1,2}$/i.test(pasted)) return knownSeed(ruleset, pasted.toLowerCase());
  const [, marked, bare] = NUMBERED.exec(pasted) ?? [];
  const number = marked ?? bare;
  const deck =
    number === undefined ? boardIn(ruleset, pasted) : numberedIn(ruleset, Number(number));
  return bytesToHex(Uint8Array.from(deck));
}

function numberedIn({ pack }: Ruleset, number: number): Pile {
  if (pack.length !== PACK_SIZE || new Set(pack).size !== PACK_SIZE) {
    throw new PastedError("bad_deck", "Numbered deals have one pack of four suits.", {
      problem: "numbers",
    });
  }
  if (!(number >= 1 && number <= LAST_DEAL)) {
    throw new PastedError("bad_deck", `Numbered deals are from 1 to ${LAST_DEAL}.`, {
      problem: "range",
      wanted: LAST_DEAL,
    });
  }
  return numberedDeck(number);
}

function boardIn(ruleset: Ruleset, text: string): Pile {
  const lines = linesOf(text);
  const { rules, groups } = ruleset;
  for (const { number, words } of lines.empty) {
    if (words.length > 0) {
      throw new PastedError("bad_deck", `Line ${number} has cards in a place that starts empty.`, {
        ...{ problem: "begun", line: number },
      });
    }
  }
  const laidOut = [...ruleset.laidOut().values()];
  const home = cardsIn(lines.home);
  const stock = cardsIn(lines.stock);
  for (const card of laidOut) {
    const at = home.indexOf(card);
    if (at >= 0) home.splice(at, 1);
  }
  const dealt = groups.filter(({ setup }) => setup === "dealt").length;
  expectCount("home", home.length, dealt, lines.home[0]);
  const reserve = roundsOf("reserve", lines.reserve, rules.reserve?.deal ?? []);
  const tableau = roundsOf("columns", lines.columns, rules.tableau?.deal ?? []);
  const rest = ruleset.total - laidOut.length - dealt - reserve.length - tableau.length;
  const deck = [...laidOut, ...home, ...reserve, ...tableau, ...stock];
  expectCount("stock", stock.length, rest, lines.stock[0]);
  checkCards(ruleset, deck);
  return deck;
}

function linesOf(text: string): Lines {
  const lines: Lines = { columns: [], home: [], reserve: [], stock: [], empty: [] };
  text.split(/\r?\n/).forEach((line, at) => {
    const [label, rest = ""] = /^\s*([a-z]*)\s*:(.*)$/i.exec(line)?.slice(1) ?? ["", line];
    if (label === "" && (/^\s*#/.test(line) || line.trim() === "")) return;
    const place = label === "" ? "columns" : LABELS[label?.toLowerCase() ?? ""];
    const number = at + 1;
    if (place === undefined) throw noCard(number, label ?? "");
    const words = rest.split(/[\s,]+/).filter((word) => !/^-*$/.test(word));
    lines[place].push({ number, words });
  });
  if (Object.values(lines).every(({ length }: Line[]) => length === 0)) {
    throw new PastedError("bad_seed", "The text contains no deal.", { problem: "empty" });
  }
  return lines;
}

/** Return the cards of several lines in sequence; `H-0` is no card, and `H-A` an ace. */
function cardsIn(lines: readonly Line[]): Card[] {
  return lines.flatMap(({ number, words }) =>
    words
      .filter((word) => !/^[shdc]-0$/i.test(word))
      .map((word) => cardIn(number, word.replace(/^([shdc])-(.+)$/i, "$2$1"))),
  );
}

function cardIn(line: number, word: string): Card {
  const plain = word.replace(/^<(.*)>$/, "$1").replace(/\ufe0f/g, "");
  const named = plain.replace(/.$/u, (suit) => SYMBOLS[suit] ?? suit).toUpperCase();
  const [, rank, suit] = /^(10|[1-9TJQKA])([SHDC])$/.exec(named) ?? [];
  if (rank === undefined || suit === undefined) throw noCard(line, word);
  return cardOf({ "10": "T", "1": "A" }[rank] ?? rank, suit);
}

function noCard(line: number, word: string): PastedError {
  return new PastedError(
    "bad_card",
    `Line ${line}: '${word}' is not a card: a rank of ${RANKS} and a suit of ${SUITS}.`,
    { problem: "word", line, word },
  );
}

/** Return the cards of piles in rounds, as dealt; the last pile may be the first line. */
function roundsOf(
  problem: "columns" | "reserve",
  lines: readonly Line[],
  sizes: readonly number[],
): Pile {
  const found = lines.map((line) => cardsIn([line]));
  // Empty piles may have a line or none.
  const wanted = found.length === sizes.length ? sizes : sizes.filter((size) => size > 0);
  expectCount(problem, found.length, wanted.length, lines[wanted.length]);
  const fits = (piles: readonly Pile[]) => piles.every(({ length }, at) => length === wanted[at]);
  const backward = !fits(found) && fits(found.toReversed());
  if (!backward) {
    found.forEach(({ length }, at) => expectCount("height", length, wanted[at] ?? 0, lines[at]));
  }
  const piles = backward ? found.toReversed() : found;
  const rounds = Array.from({ length: Math.max(0, ...wanted) }, (_, round) => round);
  return rounds.flatMap((round) => piles.flatMap((pile) => pile.slice(round, round + 1)));
}

function expectCount(problem: Problem, count: number, wanted: number, line?: Line): void {
  if (count === wanted) return;
  const where = line === undefined ? "" : `Line ${line.number}: `;
  const what = {
    ...{
      columns: "lines of columns",
      reserve: "lines of the reserve",
      stock: "cards in the stock",
    },
    ...{ home: "cards on foundations", height: "cards" },
  } as Partial<Record<Problem, string>>;
  throw new PastedError(
    "bad_deck",
    `${where}There are ${count} ${what[problem]}, and should be ${wanted}.`,
    { problem, count, wanted, ...(line && { line: line.number }) },
  );
}

/** Check that no card occurs too often; the total number is already correct. */
function checkCards({ pack }: Ruleset, deck: Pile): void {
  const missing = without(pack, deck)[0];
  const card = without(deck, pack)[0];
  if (card === undefined || missing === undefined) return;
  throw new PastedError(
    "bad_deck",
    `${cardName(card)} occurs too often, and ${cardName(missing)} is missing.`,
    { problem: "twice", card, missing },
  );
}

/** Return cards without the others' occurrences of each. */
function without(cards: Pile, others: Pile): Pile {
  const left = [...others];
  return cards.filter((card) => {
    const at = left.indexOf(card);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
