/**
 * Known deals from pasted text: a deal's number, or its cards.
 *
 * The text format is PySolFC's and Freecell Solver's, as written by `pysol_cards/deal_game.py`
 * and `make_pysol_freecell_board.py`: one line per column, its top card last, with cards such as
 * `TH` or `10H`, and face-down cards such as `<TH>`. Lines such as `Foundations: H-0 C-A`,
 * `Freecells: - -`, and `Talon: 5H KC` (in dealing order) may precede them. Games saved by KPat, and
 * pyksolve's deals of Klondike, are read as well. The rules alone determine where the cards go.
 */

import { type Pile, cardName } from "./cards.ts";
import { LAST_DEAL, hasNumbers, knownSeed } from "./known.ts";
import { diagramLines, digitLines, kpatLines } from "./pastedFormats.ts";
import {
  type Line,
  type Lines,
  PastedError,
  type Problem,
  cardsIn,
  linesOf,
} from "./pastedLines.ts";
import type { Ruleset } from "./ruleset.ts";
import { bytesToHex } from "./sha256.ts";

/** A deal in a text. */
export interface Pasted {
  /** Its deck in hexadecimal. */
  readonly seed: string;
  /** Its number, as `knownSeed` reads it; null if it is given by its cards. */
  readonly number: string | null;
}

/**
 * Matches `11982`, `#ms24`, `Deal: 24`, `FreeCell, deal 24` and `freecell:24`. Without `ms`, twenty
 * digits are a number of PySolFC.
 */
const NUMBERED = /^(?:\p{L}[\p{L} ,:–-]*[ ,:])?(?:(?:no|nr)\. *|n° *)?(?:# *)?(ms)?(\d+)$/iu;

/** Digits of PySolFC's own numbers. */
const PYSOLFC_DIGITS = 20;

/**
 * Games that start with cards in cells: the number and height of their columns, those cards, and
 * the places that pysol-cards lists for cells.
 */
const RELATIVES = [
  { name: "Eight Off", columns: 8, height: 6, stored: 4, places: 8 },
  { name: "ForeCell", columns: 8, height: 6, stored: 4, places: 4 },
  { name: "Seahaven Towers", columns: 10, height: 5, stored: 2, places: 3 },
] as const;

/** Return the hexadecimal deck of the deal in a text; throw a `PastedError`. */
export function pastedSeed(ruleset: Ruleset, text: string): string {
  return pastedDeal(ruleset, text).seed;
}

/** Return the deal in a text; throw a `PastedError`. */
export function pastedDeal(ruleset: Ruleset, text: string): Pasted {
  const pasted = text.trim();
  if (/^(?:[0-9a-f]{104}){1,2}$/i.test(pasted)) {
    return { seed: knownSeed(ruleset, pasted.toLowerCase()), number: null };
  }
  const lines = digitLines(pasted);
  const [, classic, digits] = (lines === null && NUMBERED.exec(pasted)) || [];
  if (digits !== undefined) return numberedIn(ruleset, digits, classic !== undefined);
  const deck = boardIn(ruleset, lines ?? diagramLines(text) ?? kpatLines(text) ?? linesOf(text));
  return { seed: bytesToHex(Uint8Array.from(deck)), number: null };
}

function numberedIn(ruleset: Ruleset, digits: string, classic: boolean): Pasted {
  if (!hasNumbers(ruleset)) {
    throw new PastedError("bad_deck", "Only deals of FreeCell have numbers here.", {
      problem: "numbers",
    });
  }
  const isPysolfc = !classic && digits.length === PYSOLFC_DIGITS;
  const number = isPysolfc ? digits : digits.replace(/^0+(?=\d)/, "");
  if (Number(number) < 1 || (!isPysolfc && Number(number) > LAST_DEAL)) {
    throw new PastedError("bad_deck", `Numbered deals are from 1 to ${LAST_DEAL}.`, {
      problem: "range",
      wanted: LAST_DEAL,
    });
  }
  return { seed: knownSeed(ruleset, number), number };
}

function boardIn(ruleset: Ruleset, lines: Lines): Pile {
  checkStart(lines);
  const { rules, groups } = ruleset;
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

/** Check that there are cards, and none where every game here starts without. */
function checkStart(lines: Lines): void {
  if (Object.values(lines).every(({ length }: Line[]) => length === 0)) {
    throw new PastedError("bad_seed", "The text contains no deal.", { problem: "empty" });
  }
  const [filled] = [...lines.cells, ...lines.waste].filter(({ words }) => words.length > 0);
  if (filled === undefined) return;
  const line = filled.number;
  const relatives = relativesIn(lines);
  if (relatives !== "") {
    throw new PastedError("bad_deck", `Line ${line}: this is a deal of ${relatives}.`, {
      ...{ problem: "other", line, word: relatives },
    });
  }
  throw new PastedError("bad_deck", `Line ${line} has cards in a place that starts empty.`, {
    ...{ problem: "begun", line },
  });
}

/** Return the names of the games that start with such cells and columns. */
function relativesIn({ columns, cells }: Lines): string {
  const stored = cardsIn(cells).length;
  const places = cells.reduce((sum, each) => sum + each.places, 0);
  return RELATIVES.filter(
    (each) =>
      each.columns === columns.length &&
      columns.every(({ words }) => words.length === each.height) &&
      each.stored === stored &&
      [0, each.places].includes(places),
  )
    .map(({ name }) => name)
    .join(" / ");
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
