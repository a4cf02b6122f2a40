/**
 * Practice: offline play by the same rules, without a clock and with undo. Each game has one deal
 * in this browser's storage. A deal with a known run can be played as a race against it.
 */

import type { Result, TextStorage } from "@samedeal/client";
import {
  type Board,
  type View,
  cardsHome,
  cardsNeverSeen,
  viewOf,
} from "../../../src/rules/board.ts";
import { isChanges } from "../../../src/rules/changes.ts";
import { findRuleset } from "../../../src/rules/catalog.ts";
import { dealSeed, isDeck, parseSeed } from "../../../src/rules/deal.ts";
import { EngineError } from "../../../src/rules/errors.ts";
import { isLegal, isStuck, isWon, legalMoves } from "../../../src/rules/moves.ts";
import { moveText, parseMove } from "../../../src/rules/notation.ts";
import { play } from "../../../src/rules/play.ts";
import type { Move, Ruleset } from "../../../src/rules/ruleset.ts";
import { STANDARD } from "../../../src/rules/schema.ts";
import { GhostRace } from "./ghostRace.svelte.ts";
import { type StoredDeal, newSeed, rulesOf, store, storedDeal } from "./stored.ts";

const NO_MARKS = { undos: 0, hints: 0, peeked: false };

/**
 * The known prospects of a hint: it is a step of a line that wins, it leads to a win on so many of
 * the sampled boards, or it is a guess, perhaps on a board that cannot be won or has no known win.
 */
export type Prospects =
  | { readonly kind: "win" | "guess" }
  | { readonly kind: "share"; readonly wins: number; readonly of: number }
  /** With the number of undos to the last board known to be winnable, or null. */
  | { readonly kind: "lost" | "unknown"; readonly undos: number | null };

/** A hint: its move, or null if no useful one is known, and its prospects, if they are known. */
export interface Hinted {
  readonly move: Move | null;
  readonly prospects: Prospects | null;
}

/** Finds a hint for the last of a game's boards. */
export type Advisor = (boards: readonly Board[]) => Promise<Hinted>;

/** The hint of a good simple player. */
const simply: Advisor = async (boards) => {
  const { hint } = await import("../../../src/rules/hints.ts");
  const board = boards.at(-1);
  return { move: board ? hint(board) : null, prospects: null };
};

export class Practice {
  /** The deal's rules, which may be older than the current ones. */
  ruleset: Ruleset = $state.raw() as Ruleset;
  /** Whether a new deal replaced the stored one because its rules are no longer known. */
  readonly lost: boolean;
  readonly #game: string;
  readonly #storage: TextStorage;
  #seed: string;
  race = $state.raw<GhostRace | null>(null);
  /** The UTC day whose daily the deal was, or null. */
  day = $state.raw<number | null>(null);
  /** The undo history, oldest first; the last board is the current one. */
  #boards = $state.raw<readonly Board[]>([]);
  #moves: readonly string[] = [];
  #marks = $state.raw(NO_MARKS);
  #hint = $state.raw<string | null>(null);
  /** The prospects of the hint; null after a reload. */
  #prospects: Prospects | null = null;

  /**
   * Resume the stored deal of a game, or deal a new one.
   *
   * @throws `unknown_game`.
   */
  constructor(game: string, storage: TextStorage) {
    this.ruleset = findRuleset(game, STANDARD);
    this.#game = game;
    this.#storage = storage;
    const stored = storedDeal(game, storage);
    const rules = stored && rulesOf(game, stored);
    this.lost = stored !== null && rules === null;
    this.ruleset = rules ?? this.ruleset;
    this.#seed = (rules && stored.seed) ?? newSeed();
    this.#reset();
    for (const move of (rules && stored.moves) ?? []) if (!this.#play(move)) break;
    if (rules) this.#restoreHelp(stored);
    if (rules && stored.race) this.race = new GhostRace(stored.race);
    if (rules) this.day = stored.day ?? null;
    this.race?.keep(this.#moves.length);
    this.save();
  }

  /** The deal's seed, in hexadecimal. */
  get seed(): string {
    return this.#seed;
  }

  /** Whether it is a known deal, whose seed is its deck. */
  get isKnown(): boolean {
    return isDeck(parseSeed(this.#seed));
  }

  /** The player's view. An undo counts as a move, as in a race. */
  get view(): View {
    // Each undo counts twice: for itself, and for the undone move, which `#board` no longer
    // contains.
    return viewOf({ ...this.#board, moves: this.#board.moves + 2 * this.#marks.undos });
  }

  get undos(): number {
    return this.#marks.undos;
  }

  get hints(): number {
    return this.#marks.hints;
  }

  /** Whether an undo has covered a seen card. */
  get peeked(): boolean {
    return this.#marks.peeked;
  }

  /** The hint given for this board, or null. */
  get hint(): Move | null {
    return this.#hint === null ? null : parseMove(this.ruleset, this.#hint);
  }

  get end(): "won" | "stuck" | null {
    if (isWon(this.#board)) return "won";
    return isStuck(this.#board) ? "stuck" : null;
  }

  /** The player's result so far; without a race, its time is 0. */
  get result(): Result {
    const home = cardsHome(this.#board);
    const last = this.#boards.findIndex((board) => cardsHome(board) === home);
    return {
      ...{ home, left: this.ruleset.total - home, time: this.race?.timeOf(last) ?? 0 },
      ...{ moves: this.view.moves, end: this.end },
      ...this.#marks,
    };
  }

  /** Whether a move can be undone. */
  get begun(): boolean {
    return this.#boards.length > 1;
  }

  /** Play a move; return false if it is illegal. */
  play(move: Move): boolean {
    const played = isLegal(this.#board, move) && this.#play(moveText(this.ruleset, move));
    if (played) {
      this.#hint = null;
      this.race?.played();
    }
    this.save();
    return played;
  }

  /** Undo the last move, which covers the cards it had turned up. */
  undo(): void {
    const back = this.#boards.at(-2);
    if (back === undefined) return;
    const covers = cardsNeverSeen(back) > cardsNeverSeen(this.#board);
    const { undos, hints, peeked } = this.#marks;
    this.#marks = { undos: undos + 1, hints, peeked: peeked || covers };
    this.#hint = null;
    this.#boards = this.#boards.slice(0, -1);
    this.#moves = this.#moves.slice(0, -1);
    this.race?.keep(this.#moves.length);
    this.save();
  }

  /**
   * Give a hint, the same one on the same board; its move is null if no useful one is known. Return
   * null if the player has moved meanwhile.
   */
  async giveHint(advise: Advisor = simply): Promise<Hinted | null> {
    const board = this.#board;
    if (this.#hint === null) {
      const hinted = await advise(this.#boards);
      // The player moved during the computation, so the advice is for an outdated board.
      if (board !== this.#board) return null;
      if (hinted.move === null) return hinted;
      this.#prospects = hinted.prospects;
      this.#marks = { ...this.#marks, hints: this.#marks.hints + 1 };
      this.#hint = moveText(this.ruleset, hinted.move);
      this.save();
      return hinted;
    }
    return { move: this.hint, prospects: this.#prospects };
  }

  /** Restart the same deal, including its race. */
  restart(): void {
    this.#reset();
    this.race?.restart();
    this.save();
  }

  dropRace(): void {
    this.race = null;
    this.save();
  }

  /** The variant of the next deal: this deal's custom rules, otherwise the standard ones. */
  get #variant(): string {
    return isChanges(this.ruleset.variant) ? this.ruleset.variant : STANDARD;
  }

  get next(): Ruleset {
    return findRuleset(this.#game, this.#variant);
  }

  /**
   * Start a new deal with the current rules, random or from a seed or deck in hexadecimal. The
   * variant defaults to this deal's custom rules, or else the standard ones.
   */
  deal(variant: string = this.#variant, seed: string = newSeed()): void {
    this.ruleset = findRuleset(this.#game, variant);
    this.#seed = seed;
    this.race = null;
    this.day = null;
    this.restart();
  }

  get #board(): Board {
    const board = this.#boards.at(-1);
    if (board === undefined) throw new RangeError("There is no board.");
    return board;
  }

  #reset(): void {
    this.#boards = [dealSeed(this.ruleset, parseSeed(this.#seed))];
    this.#moves = [];
    this.#marks = NO_MARKS;
    this.#hint = null;
  }

  #restoreHelp({ undos = 0, hints = 0, peeked = false, hint: given = null }: StoredDeal): void {
    this.#marks = { undos, hints, peeked };
    this.#prospects = null;
    const legal = legalMoves(this.#board).map((move) => moveText(this.ruleset, move));
    this.#hint = given !== null && legal.includes(given) ? given : null;
  }

  #play(move: string): boolean {
    try {
      const next = play(this.#board, parseMove(this.ruleset, move));
      this.#boards = [...this.#boards, next];
      this.#moves = [...this.#moves, move];
      return true;
    } catch (error) {
      // Moves stored by another version may be illegal now.
      if (error instanceof EngineError) return false;
      throw error;
    }
  }

  /** Store the deal. Every move does; call it otherwise only for the time of a race. */
  save(): void {
    const { digest, variant } = this.ruleset;
    const race = this.race?.stored;
    const deal = { seed: this.#seed, moves: this.#moves, rules: digest };
    const more = {
      ...(variant !== STANDARD && { variant }),
      ...(race && { race }),
      ...(this.day !== null && { day: this.day }),
    };
    const help = { ...this.#marks, hint: this.#hint };
    store({ ...deal, ...more, ...help }, this.#game, this.#storage);
  }
}
