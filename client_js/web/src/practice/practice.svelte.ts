/**
 * Practice: offline play by the same rules, without a time limit and with undo. Each game has one
 * deal in this browser's storage, and the one that it replaced until a move is played. A deal with a
 * known run can be played as a race against it.
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
import { findRuleset, games } from "../../../src/rules/catalog.ts";
import { dealSeed, isDeck, parseSeed } from "../../../src/rules/deal.ts";
import { EngineError } from "../../../src/rules/errors.ts";
import { isLegal, isStuck, isWon, legalMoves } from "../../../src/rules/moves.ts";
import { moveText, parseMove } from "../../../src/rules/notation.ts";
import { play } from "../../../src/rules/play.ts";
import type { Move, Ruleset } from "../../../src/rules/ruleset.ts";
import { STANDARD } from "../../../src/rules/schema.ts";
import { noteLast } from "../app/practised/last.ts";
import { GhostRace } from "./ghostRace.svelte.ts";
import { Stopwatch } from "./stopwatch.svelte.ts";
import { type Beat, type StoredDeal, newSeed, rulesOf, store, storedDeal } from "./stored.ts";

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
  /** The friend's win to beat on the deal, or null. */
  beat = $state.raw<Beat | null>(null);
  /** The undo history, oldest first; the last board is the current one. */
  #boards = $state.raw<readonly Board[]>([]);
  #moves: readonly string[] = [];
  #marks = $state.raw(NO_MARKS);
  #hint = $state.raw<string | null>(null);
  /** The prospects of the hint; null after a reload. */
  #prospects: Prospects | null = null;
  #counted = $state(false);
  #previous = $state.raw<StoredDeal | null>(null);
  #watch = new Stopwatch();

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
    this.#seed = newSeed();
    this.#reset();
    const resumed = stored !== null && this.#resume(stored);
    this.lost = stored !== null && !resumed;
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

  /** The player's view. In a race, an undo counts as a move, like in races among players. */
  get view(): View {
    // Each undo counts twice: for itself, and for the undone move, which `#board` no longer
    // contains.
    const undone = this.race ? 2 * this.#marks.undos : 0;
    return viewOf({ ...this.board, moves: this.board.moves + undone });
  }

  /** The time played. */
  get watch(): Stopwatch {
    return this.race ?? this.#watch;
  }

  /** The unfinished deal that this one replaced; it can be brought back until a move is played. */
  get previous(): StoredDeal | null {
    return this.#previous;
  }

  /** Whether the statistics include this deal. */
  get counted(): boolean {
    return this.#counted;
  }

  /** Whether the statistics lack a deal that was won, or left for this one. */
  get unsettled(): boolean {
    return (this.begun && this.#previous !== null) || (this.end === "won" && !this.#counted);
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
    if (isWon(this.board)) return "won";
    return isStuck(this.board) ? "stuck" : null;
  }

  /** The player's result so far; without a race, its time is 0. */
  get result(): Result {
    const home = cardsHome(this.board);
    const last = this.#boards.findIndex((board) => cardsHome(board) === home);
    return {
      ...{ home, left: this.ruleset.total - home, time: this.race?.timeOf(last) ?? 0 },
      ...{ moves: this.view.moves, end: this.end },
      ...this.#marks,
    };
  }

  /** Whether a move was played. */
  get begun(): boolean {
    return this.#boards.length > 1;
  }

  /** Whether a move, or the deal itself, can be undone. */
  get canUndo(): boolean {
    return this.begun || this.#previous !== null;
  }

  /** Play a move; return false if it is illegal. */
  play(move: Move): boolean {
    const played = isLegal(this.board, move) && this.#play(moveText(this.ruleset, move));
    if (played) {
      this.#hint = null;
      this.race?.played();
      noteLast(this.#storage, this.#game);
    }
    this.save();
    return played;
  }

  /** Undo the last move, which covers the cards it had turned up, or else the deal. */
  undo(): void {
    const back = this.#boards.at(-2);
    if (back === undefined) {
      if (this.#previous !== null && this.#resume(this.#previous)) this.save();
      return;
    }
    const covers = cardsNeverSeen(back) > cardsNeverSeen(this.board);
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
    const board = this.board;
    if (this.#hint === null) {
      const hinted = await advise(this.#boards);
      // The player moved during the computation, so the advice is for an outdated board.
      if (board !== this.board) return null;
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
    this.#leave();
    this.#reset();
    this.race?.restart();
    this.save();
  }

  /** Note that the statistics include this deal if it is won, and the one before. */
  settle(): void {
    if (this.begun) this.#previous = null;
    if (this.end === "won") this.#counted = true;
    this.save();
  }

  dropRace(): void {
    this.#watch.elapsed = this.watch.elapsed;
    this.race = null;
    this.save();
  }

  /** The variant of the next deal: this deal's, or the standard rules if it is no longer offered. */
  get #variant(): string {
    const { variant } = this.ruleset;
    const listed = games.find(({ id }) => id === this.#game)?.variants;
    return isChanges(variant) || listed?.some(({ id }) => id === variant) ? variant : STANDARD;
  }

  get next(): Ruleset {
    return this.rulesOfNext();
  }

  /** Return the rules of the next deal; the variant defaults to this deal's. */
  rulesOfNext(variant: string = this.#variant): Ruleset {
    return findRuleset(this.#game, variant);
  }

  /**
   * Start a new deal with the current rules, random or from a seed or deck in hexadecimal. The
   * variant defaults to this deal's.
   */
  deal(variant: string = this.#variant, seed: string = newSeed()): void {
    this.#leave();
    this.ruleset = this.rulesOfNext(variant);
    this.#seed = seed;
    this.race = null;
    this.day = null;
    this.beat = null;
    this.#counted = false;
    this.#reset();
    this.save();
  }

  get board(): Board {
    const board = this.#boards.at(-1);
    if (board === undefined) throw new RangeError("There is no board.");
    return board;
  }

  /** Deal the cards again, without help or time. */
  #reset(): void {
    this.#boards = [dealSeed(this.ruleset, parseSeed(this.#seed))];
    this.#moves = [];
    this.#marks = NO_MARKS;
    this.#hint = null;
    this.#watch = new Stopwatch();
  }

  /** Keep the current deal if it has moves and is not won; otherwise, keep the one before. */
  #leave(): void {
    if (!this.begun) return;
    this.#previous = this.end === "won" ? null : this.#stored;
  }

  /** Continue a stored deal; return false if its rules are no longer known. */
  #resume(stored: StoredDeal): boolean {
    const rules = rulesOf(this.#game, stored);
    if (rules === null) return false;
    this.ruleset = rules;
    this.#seed = stored.seed;
    this.#reset();
    for (const move of stored.moves) if (!this.#play(move)) break;
    const { undos = 0, hints = 0, peeked = false, hint = null } = stored;
    this.#marks = { undos, hints, peeked };
    this.#prospects = null;
    const legal = legalMoves(this.board).map((move) => moveText(this.ruleset, move));
    this.#hint = hint !== null && legal.includes(hint) ? hint : null;
    this.race = stored.race ? new GhostRace(stored.race) : null;
    this.race?.keep(this.#moves.length);
    this.day = stored.day ?? null;
    this.beat = stored.beat ?? null;
    this.#watch.elapsed = stored.elapsed ?? 0;
    this.#counted = stored.counted ?? false;
    this.#previous = stored.previous ?? null;
    return true;
  }

  #play(move: string): boolean {
    try {
      const next = play(this.board, parseMove(this.ruleset, move));
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
    const previous = this.#previous;
    store({ ...this.#stored, ...(previous && { previous }) }, this.#game, this.#storage);
  }

  get #stored(): StoredDeal {
    const { digest, variant } = this.ruleset;
    const race = this.race?.stored;
    return {
      ...{ seed: this.#seed, moves: this.#moves, rules: digest },
      ...(variant !== STANDARD && { variant }),
      ...(race && { race }),
      ...(this.day !== null && { day: this.day }),
      ...(this.beat && { beat: this.beat }),
      ...{ ...this.#marks, hint: this.#hint, elapsed: Math.round(this.watch.elapsed) },
      ...{ home: cardsHome(this.board), over: this.end !== null, counted: this.#counted },
    };
  }
}
