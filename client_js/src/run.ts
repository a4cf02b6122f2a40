/** Runs: replaying one from its seed, comparing two, and the run file format. */

import type { Player, Result, Run } from "./messages.ts";
import { UNDO } from "./outbox.ts";
import { type Board, cardsHome, cardsNeverSeen } from "./rules/board.ts";
import { findStoredRuleset } from "./rules/catalog.ts";
import { dealSeed, parseSeed } from "./rules/deal.ts";
import { EngineError } from "./rules/errors.ts";
import { moveText } from "./rules/notation.ts";
import { play } from "./rules/play.ts";
import { type Move, ROW, type Ruleset } from "./rules/ruleset.ts";

/** The numbers of each move in a `Run`: milliseconds, source, target and count. */
const NUMBERS = 4;

/** A replayed run: the board before its first move, and after each one. */
export class Replay {
  readonly run: Run;
  readonly ruleset: Ruleset;
  /** The moves in order; null is an undo, which restores the board before the last move. */
  readonly moves: readonly (Move | null)[];
  /** Milliseconds since the start: 0 for the board as dealt, then one entry per move. */
  readonly times: readonly number[];
  /** The dealt board and one per move. Piles that a move does not change are shared. */
  readonly boards: readonly Board[];
  /** The number of cards home on each board. */
  readonly home: readonly number[];
  readonly #undos: number;
  readonly #peeked: boolean;
  /** Milliseconds until the last of the cards that ended up home. */
  readonly #lastHome: number;

  /** @throws an `EngineError` if the rules are unknown or a move is illegal. */
  constructor(run: Run) {
    this.run = run;
    this.ruleset = findStoredRuleset(run.game, run.variant, run.rules);
    const moves: (Move | null)[] = [];
    const times = [0];
    let board = dealSeed(this.ruleset, parseSeed(run.seed));
    const boards = [board];
    let [undos, lastHome, peeked] = [0, 0, false];
    const past: { readonly board: Board; readonly lastHome: number }[] = [];
    for (let at = 0; at < run.moves.length; at += NUMBERS) {
      const [after = 0, source = 0, target = 0, count = 0] = run.moves.slice(at, at + NUMBERS);
      const time = (times.at(-1) ?? 0) + after;
      if (count === 0) {
        const back = past.pop();
        if (back === undefined) throw new EngineError("illegal_move", "No move can be undone.");
        undos += 1;
        peeked ||= cardsNeverSeen(back.board) > cardsNeverSeen(board);
        lastHome = back.lastHome;
        board = { ...back.board, moves: board.moves + 1 };
        moves.push(null);
      } else {
        const move = { source, target: target === this.#piles ? ROW : target, count };
        past.push({ board, lastHome });
        const next = play(board, move);
        if (cardsHome(next) > cardsHome(board)) lastHome = time;
        board = next;
        moves.push(move);
      }
      times.push(time);
      boards.push(board);
    }
    this.moves = moves;
    this.#undos = undos;
    this.#peeked = peeked;
    this.#lastHome = lastHome;
    this.times = times;
    this.boards = boards;
    this.home = boards.map(cardsHome);
  }

  get #piles(): number {
    return this.ruleset.pileNames.length;
  }

  /** Return how many moves were played by a time in milliseconds since the start. */
  movesAt(time: number): number {
    let [low, high] = [0, this.times.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.times[middle] ?? 0) <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Return the board after `moves` moves. */
  boardAt(moves: number): Board {
    const board = this.boards[moves];
    if (board === undefined) throw new RangeError(`There is no move ${moves}.`);
    return board;
  }

  /** Return the text of a move, such as `t3>f0`, counting from 1; null if there is no such move. */
  textOf(number: number): string | null {
    const move = this.moves[number - 1];
    if (move === undefined) return null;
    return move === null ? UNDO : moveText(this.ruleset, move);
  }

  get steps(): { readonly time: number; readonly home: number }[] {
    return this.home.flatMap((home, move) =>
      move > 0 && home !== this.home[move - 1] ? [{ time: this.times[move] ?? 0, home }] : [],
    );
  }

  get arrivals(): { readonly move: number; readonly time: number; readonly home: number }[] {
    return this.home.flatMap((home, move) =>
      move > 0 && home > (this.home[move - 1] ?? 0)
        ? [{ move, time: this.times[move] ?? 0, home }]
        : [],
    );
  }

  /** The result computed from the moves. */
  get result(): Result {
    const home = this.home.at(-1) ?? 0;
    return {
      ...{ home, left: this.ruleset.total - home, time: this.#lastHome },
      ...{ moves: this.moves.length, end: this.run.end },
      ...{ undos: this.#undos, hints: this.run.hints, peeked: this.#peeked },
    };
  }
}

/** Return the number of the first differing move of two runs on one deal, or null. */
export function partingOf(one: Replay, other: Replay): number | null {
  const most = Math.max(one.moves.length, other.moves.length);
  for (let number = 1; number <= most; number++) {
    if (one.textOf(number) !== other.textOf(number)) return number;
  }
  return null;
}

/** A run as a file for `samedeal verify`. `server/PROTOCOL.md` lists its fields. */
export interface RunFile {
  readonly samedeal: "run";
  readonly format: 1;
  readonly deal: string;
  readonly game: string;
  readonly variant: string;
  readonly rules: string;
  readonly commitment: string;
  readonly seed: string;
  readonly player: Player;
  readonly started: number;
  readonly deadline: number;
  /** Each move's text, with its milliseconds since the start. */
  readonly moves: readonly (readonly [string, number])[];
  readonly ended: number;
  readonly result: Omit<Result, keyof Marks> & Partial<Marks>;
  /** The permitted help; omitted if there was none. */
  readonly help?: Run["help"];
}

/** The help used, as in a result. */
type Marks = Pick<Result, "undos" | "hints" | "peeked">;

export function runFileOf(replay: Replay): RunFile {
  const { run, times, result } = replay;
  const { undos, hints, peeked, ...counted } = result;
  const help = run.help !== "none";
  const { deal, game, variant, rules, commitment, seed, player, started, deadline, ended } = run;
  return {
    ...{ samedeal: "run", format: 1, deal, game, variant, rules, commitment, seed, player },
    ...{ started, deadline },
    moves: times.slice(1).map((time, at) => [replay.textOf(at + 1) ?? "", time]),
    ended,
    result: help ? { ...counted, undos, hints, peeked } : counted,
    ...(help && { help: run.help }),
  };
}
