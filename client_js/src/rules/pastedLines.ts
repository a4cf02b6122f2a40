/** The lines of pasted deals: labels, cards and faults, whatever program wrote them. */

import { type Card, RANKS, SUITS, cardOf } from "./cards.ts";
import { EngineError, type EngineErrorCode } from "./errors.ts";

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
  | "other"
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

export interface Line {
  /** Its number in the text, from 1. */
  readonly number: number;
  /** Its cards, as written. */
  readonly words: readonly string[];
  /** Its places, also empty ones; 0 if the text does not list those. */
  readonly places: number;
}

/** The lines of a text by their labels; columns have none. */
export interface Lines {
  readonly columns: Line[];
  readonly home: Line[];
  readonly reserve: Line[];
  readonly stock: Line[];
  /** Places that are empty at the start of every game here. */
  readonly cells: Line[];
  readonly waste: Line[];
}

const LABELS: Readonly<Record<string, keyof Lines>> = {
  ...{ foundations: "home", founds: "home", talon: "stock", stock: "stock" },
  ...{ reserve: "reserve", freecells: "cells", fc: "cells", waste: "waste" },
};

const SYMBOLS: Readonly<Record<string, string>> = {
  ...{ "♠": "S", "♥": "H", "♦": "D", "♣": "C", "♤": "S", "♡": "H", "♢": "D", "♧": "C" },
};

const EMPTY_PLACE = /^-*$/;

export function noLines(): Lines {
  return { columns: [], home: [], reserve: [], stock: [], cells: [], waste: [] };
}

/** Return the lines of a text as PySolFC and Freecell Solver write it. */
export function linesOf(text: string): Lines {
  const lines = noLines();
  text.split(/\r?\n/).forEach((line, at) => {
    const [label, rest = ""] = /^\s*([a-z]*)\s*:(.*)$/i.exec(line)?.slice(1) ?? ["", line];
    if (label === "" && (/^\s*#/.test(line) || line.trim() === "")) return;
    const place = label === "" ? "columns" : LABELS[label?.toLowerCase() ?? ""];
    const number = at + 1;
    if (place === undefined) throw noCard(number, label ?? "");
    // pyksolve encloses the stock in arrows, with the waste before them.
    const [, waste, stock] = /^(.*)==>(.*)<==\s*$/.exec(rest) ?? [];
    lines[place].push(lineOf(number, stock ?? rest));
    if (waste !== undefined) lines.waste.push(lineOf(number, waste));
  });
  return lines;
}

export function lineOf(number: number, text: string): Line {
  const places = text.split(/[\s,]+/).filter((word) => word !== "");
  const words = places.filter((word) => !EMPTY_PLACE.test(word));
  return { number, words, places: places.length };
}

/** Return the cards of several lines in sequence; `H-0` is no card, and `H-A` an ace. */
export function cardsIn(lines: readonly Line[]): Card[] {
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
