/** Positions: complete boards as JSON values, with serialization and validating parsing. */

import { type Board, pileAt } from "./board.ts";
import { type Pile, cardName, isDown, parsePile, rankOf, suitOf, turnedUp } from "./cards.ts";
import { findRuleset } from "./catalog.ts";
import { checkDeck } from "./deal.ts";
import { EngineError } from "./errors.ts";
import {
  arePair,
  fitsFoundation,
  isCovered,
  isStuck,
  isWon,
  leavingTo,
  runLength,
} from "./moves.ts";
import { dealtDown } from "./peaks.ts";
import { fillers } from "./play.ts";
import { RUN_LENGTH, type Ruleset } from "./ruleset.ts";
import { type Reserve, STANDARD, type Tableau } from "./schema.ts";

const MAX_MOVES = 1_000_000;
const KEYS = ["game", "moves", "piles", "redeals", "stuck", "variant", "won"];

/** A board as JSON values, with `?` before each face-down card. */
export interface Position {
  readonly game: string;
  readonly variant: string;
  readonly piles: Readonly<Record<string, readonly string[]>>;
  readonly redeals: number;
  readonly moves: number;
  readonly won: boolean;
  readonly stuck: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Return a board as JSON values. */
export function positionOf(board: Board): Position {
  const { ruleset } = board;
  return {
    game: ruleset.game,
    variant: ruleset.variant,
    piles: Object.fromEntries(
      ruleset.pileNames.map((name, pile) => [name, pileAt(board, pile).map(cardName)]),
    ),
    redeals: board.redeals,
    moves: board.moves,
    won: isWon(board),
    stuck: isStuck(board),
  };
}

/**
 * Parse a position; throw an `EngineError` if no play can reach it.
 *
 * `variant`, `redeals`, `moves`, `won` and `stuck` are optional; `won` and `stuck` must agree with
 * the piles if given.
 */
export function parsePosition(position: unknown, find = findRuleset): Board {
  if (!isObject(position) || !Object.keys(position).every((key) => KEYS.includes(key))) {
    throw impossible(`A position must be an object with the keys ${KEYS.join(", ")}.`);
  }
  const { game, variant = STANDARD } = position;
  if (typeof game !== "string" || typeof variant !== "string") {
    throw impossible("game and variant must be strings.");
  }
  const ruleset = find(game, variant);
  const board: Board = {
    ruleset,
    piles: readPiles(ruleset, position.piles),
    redeals: readCount(position, "redeals", ruleset.redeals),
    moves: readCount(position, "moves", MAX_MOVES),
  };
  checkBoard(board);
  for (const [key, value] of [
    ["won", isWon(board)],
    ["stuck", isStuck(board)],
  ] as const) {
    if (position[key] !== undefined && position[key] !== value) {
      throw impossible(`${key} is ${value} in this position.`);
    }
  }
  return board;
}

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function impossible(message: string): EngineError {
  return new EngineError("bad_position", message);
}

function readPiles(ruleset: Ruleset, piles: unknown): Pile[] {
  if (!isObject(piles) || !Object.keys(piles).every((name) => ruleset.pileNumbers.has(name))) {
    throw impossible(`The piles of ${ruleset.game} are ${ruleset.pileNames.join(", ")}.`);
  }
  const named = new Map<string, readonly string[]>();
  for (const [name, cards] of Object.entries(piles)) {
    if (!isTexts(cards)) throw impossible(`The pile ${name} must be a list of strings.`);
    named.set(name, cards);
  }
  return ruleset.pileNames.map((name) => [...parsePile(named.get(name) ?? [])]);
}

function readCount(position: Fields, key: string, most: number): number {
  const value = position[key] ?? (key in position ? null : 0);
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > most) {
    throw impossible(`${key} must be a whole number from 0 to ${most}.`);
  }
  return value;
}

/** Check the invariants of reachable boards. */
function checkBoard(board: Board): void {
  const { ruleset } = board;
  checkDeck(ruleset, board.piles.flatMap(turnedUp));
  for (const pile of ruleset.foundations) {
    if (!couldBeFoundation(board, pile)) {
      throw impossible(`${ruleset.pileNames[pile]} holds cards that it cannot take.`);
    }
  }
  if (ruleset.peaks !== null) checkPeaks(board);
  else checkDealt(board, ruleset.rules.tableau, ruleset.tableau);
  checkDealt(board, ruleset.rules.reserve, ruleset.reserve);
  const cleared = ruleset.tableau.every((pile) => pileAt(board, pile).length === 0);
  if (ruleset.clears && cleared && !isWon(board)) {
    throw impossible("The tableau is empty, but not all cards are on the foundation.");
  }
  for (const pile of ruleset.cells) {
    if (pileAt(board, pile).length > 1 || pileAt(board, pile).some(isDown)) {
      throw impossible(`${ruleset.pileNames[pile]} holds more than a card face up.`);
    }
  }
  if (!couldBeStock(board)) {
    throw impossible("The stock has an impossible number of cards, or some the wrong way up.");
  }
  if (ruleset.waste !== null && pileAt(board, ruleset.waste).some(isDown)) {
    throw impossible("A card of the waste lies face down.");
  }
  const couldFill = alwaysFilling(ruleset).some((pile) => pileAt(board, pile).length > 0);
  if (couldFill && ruleset.tableau.some((pile) => pileAt(board, pile).length === 0)) {
    throw impossible("A tableau pile is empty that would have been filled.");
  }
}

function checkDealt(
  board: Board,
  part: Tableau | Reserve | null,
  numbers: readonly number[],
): void {
  const { ruleset } = board;
  const down = part === null ? [] : dealtDown(part);
  numbers.forEach((pile, at) => {
    const dealt = part?.deal[at] ?? 0;
    const name = ruleset.pileNames[pile];
    const cards = pileAt(board, pile);
    if (!downBelowUp(cards, down[at] ?? 0)) {
      throw impossible(`${name} has the wrong cards face down.`);
    }
    if (part === ruleset.rules.reserve && cards.length > dealt) {
      throw impossible(`${name} has more cards than it was dealt.`);
    }
    if (ruleset.automatic && leavingTo(ruleset, board.piles, pile) !== undefined) {
      throw impossible(`${name} ends in a run that would have left.`);
    }
  });
}

/** Check that covered places of peaks hold their cards, face down only if they were dealt so. */
function checkPeaks(board: Board): void {
  const { ruleset } = board;
  const down = ruleset.rules.tableau === null ? [] : dealtDown(ruleset.rules.tableau);
  ruleset.tableau.forEach((pile, at) => {
    const name = ruleset.pileNames[pile];
    const cards = pileAt(board, pile);
    const covered = isCovered(board, pile);
    if (cards.length > 1 || (covered && cards.length === 0)) {
      throw impossible(`${name} must hold one card, or none if no other covers it.`);
    }
    if (cards.some((card) => isDown(card) !== (covered && down[at] === 1))) {
      throw impossible(`The card of ${name} lies the wrong way up.`);
    }
  });
}

/**
 * Return the piles that fill every emptied pile while one of them has cards. If only the waste
 * fills, the stock can still add to it; if only the stock fills, the waste can become the stock
 * again. A reserve never receives cards.
 */
function alwaysFilling(ruleset: Ruleset): readonly number[] {
  const fill = ruleset.rules.tableau?.fill ?? [];
  const always = fill.includes("stock") && (fill.includes("waste") || ruleset.redeals === 0);
  return fillers(ruleset).filter((pile) => always || ruleset.reserve.includes(pile));
}

function couldBeFoundation(board: Board, target: number): boolean {
  const { ruleset } = board;
  const pile = pileAt(board, target);
  const group = ruleset.groups[target];
  const [first] = pile;
  if (pile.some(isDown)) return false;
  if (first === undefined) return group?.takes === "run" || group?.setup === "empty";
  if (group?.takes === "run") {
    return (
      pile.length === RUN_LENGTH &&
      ruleset.headsRun(target, first) &&
      runLength(pile, ruleset.carries) === RUN_LENGTH
    );
  }
  if (ruleset.rules.stock.to_foundation === "any" || (ruleset.clears && isWon(board))) return true;
  if (group?.takes === "pair") return couldBePairs(ruleset, target, pile);
  const laidOut = ruleset.laidOut().get(target);
  if (laidOut !== undefined && suitOf(first) !== suitOf(laidOut)) return false;
  const base = pileAt(board, 0)[0];
  if (group?.first === "same" && base !== undefined && rankOf(first) !== rankOf(base)) return false;
  return pile.every((card, at) => fitsFoundation(ruleset, target, pile.slice(0, at), card));
}

/** Whether a foundation consists of pairs, and of cards that it takes alone. */
function couldBePairs(ruleset: Ruleset, target: number, pile: Pile): boolean {
  for (let at = 0; at < pile.length; at++) {
    const card = pile[at] ?? 0;
    if (fitsFoundation(ruleset, target, [], card)) continue;
    at += 1;
    if (!arePair(card, pile[at])) return false;
  }
  return true;
}

/** Whether at most `most` cards are face down, all of them below a face-up card. */
function downBelowUp(pile: Pile, most: number): boolean {
  const down = pile.filter(isDown).length;
  return (
    down <= most && pile.slice(0, down).every(isDown) && (pile.length === 0 || down < pile.length)
  );
}

function couldBeStock(board: Board): boolean {
  const { ruleset } = board;
  const { rules } = ruleset;
  const stock = pileAt(board, ruleset.stock);
  const dealt = [...(rules.tableau?.deal ?? []), ...(rules.reserve?.deal ?? [])];
  const full =
    ruleset.total -
    dealt.reduce((sum, count) => sum + count, 0) -
    ruleset.groups.filter(({ setup }) => setup !== "empty").length;
  if (stock.length > full) return false;
  if (stock.length > 0 && (full - stock.length) % dealtAtOnce(board) !== 0) return false;
  const hidden = stock.length - (rules.stock.top === "up" && stock.length > 0 ? 1 : 0);
  return stock.every((card, at) => isDown(card) === at < hidden);
}

/** Return a divisor of the number of cards dealt so far from a non-empty stock. */
function dealtAtOnce({ ruleset, redeals }: Board): number {
  const { stock, tableau } = ruleset.rules;
  if (stock.plays.every((place) => place === "row")) return ruleset.tableau.length;
  // A recycled stock, or one that fills piles, can have any number of cards.
  return redeals === 0 && !tableau?.fill.includes("stock") ? stock.turns : 1;
}
