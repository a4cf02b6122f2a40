/** Positions: complete boards as JSON values, written and parsed with validation. */

import { type Board, pileAt } from "./board.ts";
import { type Pile, cardName, isDown, parsePile, suitOf, turnedUp } from "./cards.ts";
import { findRuleset } from "./catalog.ts";
import { checkDeck } from "./deal.ts";
import { EngineError } from "./errors.ts";
import { fitsFoundation, isStuck, isWon, runLength } from "./moves.ts";
import { RUN_LENGTH, type Ruleset } from "./ruleset.ts";
import { STANDARD } from "./schema.ts";

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

/** A board as JSON values. */
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
 * The board that a position describes; throws an `EngineError` if no play can reach it.
 *
 * `variant`, `redeals`, `moves`, `won` and `stuck` are optional; `won` and `stuck` must agree with
 * the piles if given.
 */
export function parsePosition(position: unknown): Board {
  if (!isObject(position) || !Object.keys(position).every((key) => KEYS.includes(key))) {
    throw impossible(`A position must be an object with the keys ${KEYS.join(", ")}.`);
  }
  const { game, variant = STANDARD } = position;
  if (typeof game !== "string" || typeof variant !== "string") {
    throw impossible("game and variant must be strings.");
  }
  const ruleset = findRuleset(game, variant);
  const board: Board = {
    ruleset,
    piles: readPiles(ruleset, position.piles),
    redeals: readCount(position, "redeals", ruleset.rules.waste?.redeals ?? 0),
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

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a JSON value is a list of strings. */
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

/** Check the invariants of boards that play can reach. */
function checkBoard(board: Board): void {
  const { ruleset } = board;
  const { tableau } = ruleset.rules;
  checkDeck(ruleset, board.piles.flatMap(turnedUp));
  for (const pile of ruleset.foundations) {
    if (!couldBeFoundation(ruleset, pile, pileAt(board, pile))) {
      throw impossible(`${ruleset.pileNames[pile]} holds cards that it cannot take.`);
    }
  }
  ruleset.tableau.forEach((pile, at) => {
    const dealt = tableau?.deal[at] ?? 0;
    const up = tableau?.face_up ?? "all";
    const most = up === "all" ? 0 : Math.max(0, dealt - up);
    if (!downBelowUp(pileAt(board, pile), most)) {
      throw impossible(`${ruleset.pileNames[pile]} has the wrong cards face down.`);
    }
  });
  if (!couldBeStock(board)) {
    throw impossible("The stock has an impossible number of cards, or some the wrong way up.");
  }
  if (ruleset.waste !== null && pileAt(board, ruleset.waste).some(isDown)) {
    throw impossible("A card of the waste lies face down.");
  }
  const fill = tableau?.fill ?? [];
  const fillers = fill.map((place) => (place === "waste" ? ruleset.waste : ruleset.stock));
  // Where only the waste fills, the stock can add to it later; where only the stock fills, the
  // waste can be turned over to be the stock again.
  const redeals = ruleset.rules.waste?.redeals ?? 0;
  const alwaysFills = fill.includes("stock") && (fill.includes("waste") || redeals === 0);
  const couldFill =
    alwaysFills && fillers.some((pile) => pile !== null && pileAt(board, pile).length > 0);
  if (couldFill && ruleset.tableau.some((pile) => pileAt(board, pile).length === 0)) {
    throw impossible("A tableau pile is empty that would have been filled.");
  }
}

function couldBeFoundation(ruleset: Ruleset, target: number, pile: Pile): boolean {
  const group = ruleset.groups[target];
  const [first] = pile;
  if (pile.some(isDown)) return false;
  if (first === undefined) return group?.takes === "run" || group?.setup === "empty";
  if (group?.takes === "run") {
    return (
      pile.length === RUN_LENGTH &&
      ruleset.headsRun(target, first) &&
      runLength(pile, ruleset.builds) === RUN_LENGTH
    );
  }
  if (ruleset.rules.stock.to_foundation === "any") return true;
  const laidOut = ruleset.laidOut().get(target);
  if (laidOut !== undefined && suitOf(first) !== suitOf(laidOut)) return false;
  return pile.every((card, at) => fitsFoundation(ruleset, target, pile.slice(0, at), card));
}

/** Whether at most `most` cards lie face down, all of them below a face-up card. */
function downBelowUp(pile: Pile, most: number): boolean {
  const down = pile.filter(isDown).length;
  return (
    down <= most && pile.slice(0, down).every(isDown) && (pile.length === 0 || down < pile.length)
  );
}

function couldBeStock({ ruleset, piles }: Board): boolean {
  const { rules } = ruleset;
  const stock = piles[ruleset.stock] ?? [];
  const dealt = (rules.tableau?.deal ?? []).reduce((sum, count) => sum + count, 0);
  const full =
    ruleset.total - dealt - ruleset.groups.filter(({ setup }) => setup !== "empty").length;
  if (stock.length > full) return false;
  const onlyRows = rules.stock.plays.every((place) => place === "row");
  if (onlyRows && stock.length > 0 && (full - stock.length) % ruleset.tableau.length !== 0) {
    return false;
  }
  const hidden = stock.length - (rules.stock.top === "up" && stock.length > 0 ? 1 : 0);
  return stock.every((card, at) => isDown(card) === at < hidden);
}
