/**
 * A deal that is played alone and against no clock, with moves taken back: all of it in this
 * browser, by the same rules. It is kept in its storage, one deal a game.
 */

import { type Board, type View, viewOf } from "../../src/rules/board.ts";
import { findRuleset, findStoredRuleset } from "../../src/rules/catalog.ts";
import { dealSeed, parseSeed } from "../../src/rules/deal.ts";
import { EngineError } from "../../src/rules/errors.ts";
import { isLegal, isStuck, isWon } from "../../src/rules/moves.ts";
import { moveText, parseMove } from "../../src/rules/notation.ts";
import { play } from "../../src/rules/play.ts";
import type { Move, Ruleset } from "../../src/rules/ruleset.ts";
import { STANDARD } from "../../src/rules/schema.ts";

const SEED_BYTES = 32;

/**
 * What is kept of a deal: its seed in hexadecimal, the moves that were played on it, and the digest
 * of its rules, which release 0.1.0 left out.
 */
interface Kept {
  readonly seed: string;
  readonly moves: readonly string[];
  readonly rules?: string;
}

export class Practice {
  /** The rules that the deal began by; a new deal is played by those of today. */
  ruleset: Ruleset;
  /** Whether a deal was kept whose rules are not known any more, so that another one was dealt. */
  readonly lost: boolean;
  readonly #game: string;
  readonly #storage: Storage;
  readonly #key: string;
  #seed: string;
  /** The boards that led to this one, the first one first; the last one is shown. */
  #boards = $state.raw<readonly Board[]>([]);
  #moves: readonly string[] = [];

  /** Go on with the deal of a game that is kept, or deal anew. Throws `unknown_game`. */
  constructor(game: string, storage: Storage) {
    this.ruleset = findRuleset(game, STANDARD);
    this.#game = game;
    this.#storage = storage;
    this.#key = `samedeal.practice.${game}`;
    const kept = readKept(storage.getItem(this.#key));
    const rules = kept && rulesOf(game, kept);
    this.lost = kept !== null && rules === null;
    this.ruleset = rules ?? this.ruleset;
    this.#seed = (rules && kept.seed) ?? newSeed();
    this.#begin();
    for (const move of (rules && kept.moves) ?? []) if (!this.#play(move)) break;
    this.#keep();
  }

  get view(): View {
    return viewOf(this.#board);
  }

  get end(): "won" | "stuck" | null {
    if (isWon(this.#board)) return "won";
    return isStuck(this.#board) ? "stuck" : null;
  }

  /** Whether a move can be taken back. */
  get begun(): boolean {
    return this.#boards.length > 1;
  }

  /** Play a move; false if it is not legal. */
  play(move: Move): boolean {
    const played = isLegal(this.#board, move) && this.#play(moveText(this.ruleset, move));
    this.#keep();
    return played;
  }

  /** Take the last move back. */
  undo(): void {
    if (!this.begun) return;
    this.#boards = this.#boards.slice(0, -1);
    this.#moves = this.#moves.slice(0, -1);
    this.#keep();
  }

  /** Begin the same deal anew. */
  restart(): void {
    this.#begin();
    this.#keep();
  }

  /** Deal other cards. */
  deal(): void {
    this.ruleset = findRuleset(this.#game, STANDARD);
    this.#seed = newSeed();
    this.restart();
  }

  get #board(): Board {
    const board = this.#boards.at(-1);
    if (board === undefined) throw new RangeError("There is no board.");
    return board;
  }

  #begin(): void {
    this.#boards = [dealSeed(this.ruleset, parseSeed(this.#seed))];
    this.#moves = [];
  }

  #play(move: string): boolean {
    try {
      const next = play(this.#board, parseMove(this.ruleset, move));
      this.#boards = [...this.#boards, next];
      this.#moves = [...this.#moves, move];
      return true;
    } catch (error) {
      // Moves that were kept by another version may not be legal any more.
      if (error instanceof EngineError) return false;
      throw error;
    }
  }

  #keep(): void {
    const kept: Kept = { seed: this.#seed, moves: this.#moves, rules: this.ruleset.digest };
    this.#storage.setItem(this.#key, JSON.stringify(kept));
  }
}

function newSeed(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SEED_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What is kept, if it is a deal. */
function readKept(text: string | null): Kept | null {
  try {
    const { seed, moves, rules } = JSON.parse(text ?? "null") as Kept;
    parseSeed(seed);
    const played = moves.filter((move) => typeof move === "string");
    return { seed, moves: played, ...(typeof rules === "string" ? { rules } : {}) };
  } catch {
    return null;
  }
}

/** The rules that a kept deal began by, or null if they are not known any more. */
function rulesOf(game: string, { rules }: Kept): Ruleset | null {
  try {
    return findStoredRuleset(game, STANDARD, rules ?? null);
  } catch (error) {
    if (error instanceof EngineError) return null;
    throw error;
  }
}
