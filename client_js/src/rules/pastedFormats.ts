/** Pasted deals as KPat and pyksolve write them. */

import { RANKS } from "./cards.ts";
import { type Lines, lineOf, noLines } from "./pastedLines.ts";

/** KPat's names of piles without their numbers; others are columns. Golf plays to the waste. */
const KPAT_PILES: Readonly<Record<string, keyof Lines>> = {
  ...{ talon: "stock", redeals: "stock", target: "home", waste: "home" },
  ...{ freecell: "cells", pile: "waste" },
};

const KPAT_RANKS: Readonly<Record<string, string>> = {
  ...{ ace: "A", two: "2", three: "3", four: "4", five: "5", six: "6", seven: "7" },
  ...{ eight: "8", nine: "9", ten: "T", jack: "J", queen: "Q", king: "K" },
};

/** The suits 1 to 4 in pyksolve's digits. */
const PYKSOLVE_SUITS = "CDHS";

const COLUMNS = 7;

/** Return the deal of a game saved by KPat, even if it has begun; null if the text is none. */
export function kpatLines(text: string): Lines | null {
  if (!text.includes("<kpat-game")) return null;
  const lines = noLines();
  // The first state is the deal, and each later one a move.
  const { 0: state = "", index = 0 } = /<state\b[^]*?<\/state>/.exec(text) ?? {};
  const piles = new Map<string, { name: string; number: number; cards: string[] }>();
  for (const move of state.matchAll(/<move\b[^>]*\bpile="([a-z]+)(\d*)"([^]*?)<\/move>/g)) {
    const [, name = "", nth = "", content = ""] = move;
    const number = text.slice(0, index + move.index).split("\n").length;
    const pile = piles.get(name + nth) ?? { name, number, cards: [] };
    piles.set(name + nth, pile);
    for (const [card] of content.matchAll(/<card\b[^>]*>/g)) {
      const [suit = "", rank = ""] = ["suit", "rank"].map((key) => attributeOf(card, key));
      pile.cards.push((KPAT_RANKS[rank] ?? rank) + suit.slice(0, 1));
    }
  }
  for (const { name, number, cards } of piles.values()) {
    const place = KPAT_PILES[name] ?? "columns";
    // Piles are listed from bottom to top, and dealt from the top.
    const listed = place === "stock" ? cards.toReversed() : cards;
    lines[place].push({ number, words: listed, places: 0 });
  }
  return lines;
}

function attributeOf(tag: string, key: string): string {
  return new RegExp(`\\b${key}="(\\w*)"`).exec(tag)?.[1] ?? "";
}

/**
 * Return the deal in pyksolve's diagram, or null if the text is none: row 0 is the waste, 1 to 7
 * are columns with the top card first and `-` before face-down cards, 8 is the stock, and 9 to 12
 * are foundations.
 */
export function diagramLines(text: string): Lines | null {
  const lines = noLines();
  let row = 0;
  text.split(/\r?\n/).forEach((line, at) => {
    const [, label, rest = ""] = /^\s*(\d+):(.*)$/.exec(line) ?? [];
    if (label !== String(row)) return;
    const found = lineOf(at + 1, rest.replaceAll("-", " "));
    const place = (row === 0 && "waste") || (row <= COLUMNS && "columns");
    if (place === "columns") lines.columns.push({ ...found, words: found.words.toReversed() });
    else lines[place || (row > COLUMNS + 1 ? "home" : "stock")].push(found);
    row++;
  });
  return row > COLUMNS + 1 ? lines : null;
}

/**
 * Return the deal of Klondike in pyksolve's digits, or null if the text is none: two digits for the
 * rank and one for the suit of each card, in dealing order.
 */
export function digitLines(text: string): Lines | null {
  if (!/^(?:\d{3}){52}$/.test(text)) return null;
  const words = (text.match(/\d{3}/g) ?? []).map(
    (digits) =>
      `${RANKS[Number(digits.slice(0, 2)) - 1] ?? digits}${PYKSOLVE_SUITS[Number(digits[2]) - 1]}`,
  );
  const columns: string[][] = Array.from({ length: COLUMNS }, () => []);
  for (let round = 0; round < COLUMNS; round++) {
    for (const column of columns.slice(round)) column.push(...words.splice(0, 1));
  }
  const line = (cards: readonly string[]) => ({ number: 1, words: cards, places: 0 });
  return { ...noLines(), columns: columns.map(line), stock: [line(words)] };
}
