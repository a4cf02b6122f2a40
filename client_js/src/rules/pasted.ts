/**
 * Known deals as people paste them: the number of a deal, or its cards as text.
 *
 * The text is that of PySolFC and of Freecell Solver, as `pysol_cards/deal_game.py` and
 * `make_pysol_freecell_board.py` write it: a line for each column, its top card last, with cards
 * such as `TH` or `10H`, those that lie face down as `<TH>`. Before them there may be lines such as
 * `Foundations: H-0 C-A`, `Freecells: - -`, and `Talon: 5H KC` in the order of dealing. Where its
 * cards go follows from the rules alone.
 */

import { bytesToHex } from "./sha256.ts";
import { type Card, PACK_SIZE, type Pile, RANKS, SUITS, cardName, cardOf } from "./cards.ts";
import { EngineError, type EngineErrorCode } from "./errors.ts";
import { LAST_DEAL, knownSeed, numberedDeck } from "./known.ts";
import type { Ruleset } from "./ruleset.ts";

/** What is wrong with a text; `knownProblems` of the page has a sentence for each. */
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

/** What a problem is about, as far as it is about that. */
export interface About {
  readonly problem: Problem;
  /** The number of the line in the text, from 1. */
  readonly line?: number;
  /** What stands there and is no card. */
  readonly word?: string;
  /** The card that is there too often, and one that is missing for it. */
  readonly card?: Card;
  readonly missing?: Card;
  /** How many cards or columns there are, and how many there should be. */
  readonly count?: number;
  readonly wanted?: number;
}

/** A text that is no deal of the game. */
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

/** The lines of a text by what they describe; columns have no label. */
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

/** As in `11982`, `#11982`, `Game #11982` and `FreeCell deal 11982`. */
const NUMBERED = /^(?:[\p{L} ]+ )?(?:no\. *|nr\. *|n° *)?# *(\d+)$|^(?:[\p{L} ]+ )?(\d+)$/iu;

/** The deck of the deal in a text, in hexadecimal; throws a `PastedError`. */
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

/** The deck that deals the board of a text. */
function boardIn(ruleset: Ruleset, text: string): Pile {
  const lines = linesOf(text);
  const { rules, groups } = ruleset;
  for (const { number, words } of lines.empty) {
    if (words.length > 0) {
      throw new PastedError("bad_deck", `Line ${number} has cards where there are none yet.`, {
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
    throw new PastedError("bad_seed", "There is no deal in it.", { problem: "empty" });
  }
  return lines;
}

/** The cards of lines, one after the other; `H-0` is none, and `H-A` an ace. */
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

/** The cards of piles, in the rounds in which they are dealt; the last pile may be the first line. */
function roundsOf(
  problem: "columns" | "reserve",
  lines: readonly Line[],
  sizes: readonly number[],
): Pile {
  const found = lines.map((line) => cardsIn([line]));
  // Piles without a card have lines of their own, or none.
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

/** Check that no card is there too often; there are as many as there should be. */
function checkCards({ pack }: Ruleset, deck: Pile): void {
  const missing = without(pack, deck)[0];
  const card = without(deck, pack)[0];
  if (card === undefined || missing === undefined) return;
  throw new PastedError(
    "bad_deck",
    `${cardName(card)} is there too often, and ${cardName(missing)} is missing.`,
    { problem: "twice", card, missing },
  );
}

/** Cards without as many of each as others have. */
function without(cards: Pile, others: Pile): Pile {
  const left = [...others];
  return cards.filter((card) => {
    const at = left.indexOf(card);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
