/**
 * The server's side of one attempt: it plays by the rules, and answers as the protocol specifies.
 */

import { digest } from "../src/digest.ts";
import {
  type Have,
  type MissedMove,
  type Moved,
  NEWS,
  type PlayMove,
  type Result,
} from "../src/messages.ts";
import { UNDO } from "../src/outbox.ts";
import type { EventOf } from "../src/protocol.ts";
import { type Board, cardsHome, viewOf } from "../src/rules/board.ts";
import type { Pile } from "../src/rules/cards.ts";
import { findRuleset } from "../src/rules/catalog.ts";
import { dealSeed, parseSeed } from "../src/rules/deal.ts";
import { EngineError } from "../src/rules/errors.ts";
import { hint } from "../src/rules/hints.ts";
import { isStuck, isWon } from "../src/rules/moves.ts";
import { moveText, parseMove } from "../src/rules/notation.ts";
import { play } from "../src/rules/play.ts";
import { ROW } from "../src/rules/ruleset.ts";

export const ATTEMPT = "rw4kq8d2n6vx1zt7.k3mq7w2r5t9xkz4b";

/** The number of the attempt in every session. */
export const NUMBER = 32;

export class Dealer {
  board: Board;
  /** The accepted moves, from journal entry 2 on; entry 1 is the start. */
  readonly journal: { readonly move: string; readonly moved: Moved; readonly redeals: number }[] =
    [];
  end: Result["end"] = null;
  #time = 0;
  /** The digest of the view after each entry, at its number minus one. */
  readonly #digests: number[] = [];

  readonly #help: EventOf<"Attempt">["help"];
  /** The boards before the moves that can be undone, each with its time. */
  readonly #past: { readonly board: Board; readonly time: number }[] = [];
  #undos = 0;
  #hints = 0;
  #hint: readonly number[] | null = null;

  constructor(
    game: string,
    seed: string,
    variant?: string,
    help: "none" | "undo" | "hints" = "none",
  ) {
    this.#help = help;
    this.board = dealSeed(findRuleset(game, variant), parseSeed(seed));
    this.#digests.push(digest(viewOf(this.board)));
  }

  /** The number of the last entry; a resignation is an entry too. */
  get seq(): number {
    return this.journal.length + this.#hints + (this.end === "resigned" ? 2 : 1);
  }

  get result(): Result {
    const home = cardsHome(this.board);
    const { moves, ruleset } = this.board;
    const counted = { home, left: ruleset.total - home, time: this.#time, moves };
    return { ...counted, end: this.end, undos: this.#undos, hints: this.#hints, peeked: false };
  }

  snapshot(id: string = ATTEMPT): EventOf<"Attempt"> {
    const { ruleset } = this.board;
    return {
      type: "Attempt",
      re: NEWS,
      number: NUMBER,
      attempt: id,
      deal: "rw4kq8d2n6vx1zt7",
      commitment: "00",
      game: ruleset.game,
      variant: ruleset.variant,
      room: null,
      day: 20778,
      seq: this.seq,
      piles: viewOf(this.board).piles.map((pile) => new Uint8Array(pile)),
      redeals: this.board.redeals,
      started: 0,
      deadline: 1_000,
      now: 0,
      result: this.result,
      rules: ruleset.digest,
      help: this.#help,
      hint: this.#hint,
      undoable: this.#past.length,
      occasion: null,
      certificate: null,
    };
  }

  /** Return the entries after a client's last one, or the snapshot if its digest differs. */
  opened(have?: Have | null): EventOf<"Attempt"> | EventOf<"Missed"> {
    if (!have || this.#digests[have.seq - 1] !== have.digest) return this.snapshot();
    return {
      ...{ type: "Missed", re: NEWS, number: NUMBER, attempt: ATTEMPT },
      ...{ since: have.seq, seq: this.seq, now: 0 },
      moves: this.journal.slice(have.seq - 1).map(({ move, moved, redeals }) => ({
        ...this.#onWire(move),
        ...{ changes: moved.changes, redeals },
      })),
      result: this.result,
    };
  }

  resign(): void {
    this.#digests.push(digest(viewOf(this.board)));
    this.end = "resigned";
  }

  /** Return the answer to a move: accepted (again), refused, or a snapshot for a wrong number. */
  answer(seq: number, move: string): EventOf<"Moved"> | EventOf<"Attempt"> | EventOf<"Refused"> {
    const accepted = this.journal[seq - 2];
    if (accepted?.move === move) return { type: "Moved", re: [NUMBER, seq], ...accepted.moved };
    if (seq !== this.seq + 1) return this.snapshot();
    try {
      return this.play(move);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      return { type: "Refused", re: NEWS, code: error.code, text: error.message, wait: 0 };
    }
  }

  /** Play a move and append it; on the results' clock, each move takes a second. */
  play(move: string): EventOf<"Moved"> {
    const { ruleset } = this.board;
    const old = this.board;
    const before = viewOf(old).piles;
    this.board = play(old, parseMove(ruleset, move));
    this.#past.push({ board: old, time: this.#time });
    this.#hint = null;
    if (isWon(this.board)) this.end = "won";
    else if (isStuck(this.board)) this.end = "stuck";
    const after = viewOf(this.board).piles;
    const changes = after.flatMap((pile, at) => change(at, before[at] ?? [], pile));
    const cameHome = cardsHome(this.board) > cardsHome(old);
    if (cameHome) this.#time = this.board.moves * 1_000;
    const { redeals } = this.board;
    const moved: Moved = {
      ...{ number: NUMBER, seq: this.seq + 1, changes, end: this.end },
      time: cameHome ? this.#time : null,
      redeals: redeals === old.redeals ? null : redeals,
    };
    this.journal.push({ move, moved, redeals });
    this.#digests.push(digest(viewOf(this.board)));
    return { type: "Moved", re: [NUMBER, moved.seq], ...moved };
  }

  /** Return the answer to an undo: the changes, or a snapshot for a wrong number. */
  undo(seq: number): EventOf<"Missed"> | EventOf<"Attempt"> {
    const back = seq === this.seq + 1 ? this.#past.pop() : undefined;
    if (back === undefined) return this.snapshot();
    const before = viewOf(this.board).piles;
    const { redeals } = back.board;
    this.board = { ...back.board, moves: this.board.moves + 1 };
    this.#time = back.time;
    this.#undos += 1;
    this.#hint = null;
    const after = viewOf(this.board).piles;
    const changes = after.flatMap((pile, at) => change(at, before[at] ?? [], pile));
    const moved: Moved = { number: NUMBER, seq, changes, end: null, time: null, redeals };
    this.journal.push({ move: UNDO, moved, redeals });
    this.#digests.push(digest(viewOf(this.board)));
    return {
      ...{ type: "Missed", re: NEWS, number: NUMBER, attempt: ATTEMPT, now: 0 },
      ...{ since: seq - 1, seq, result: this.result },
      moves: [{ source: 0, target: 0, count: 0, changes, redeals }],
    };
  }

  /** Return the answer to a hint command, by the rules. */
  hint(seq: number): EventOf<"Hinted"> | EventOf<"Attempt"> {
    if (this.#hint === null && seq === this.seq + 1) {
      const { source, target, count } = hint(this.board) ?? { source: 0, target: 0, count: 1 };
      this.#hint = [source, target, count];
      this.#hints += 1;
    } else if (seq !== this.seq && seq !== this.seq + 1) return this.snapshot();
    const fields = { number: NUMBER, seq: this.seq, move: this.#hint, hints: this.#hints };
    return { type: "Hinted", re: NEWS, ...fields };
  }

  textOf({ source, target, count }: PlayMove): string {
    const { ruleset } = this.board;
    const to = target === ruleset.pileNames.length ? ROW : target;
    return moveText(ruleset, { source, target: to, count: count ?? 1 });
  }

  #onWire(text: string): Pick<MissedMove, "source" | "target" | "count"> {
    if (text === UNDO) return { source: 0, target: 0, count: 0 };
    const { ruleset } = this.board;
    const move = parseMove(ruleset, text);
    return { ...move, target: move.target === ROW ? ruleset.pileNames.length : move.target };
  }
}

function change(number: number, old: Pile, now: Pile): number[][] {
  let kept = 0;
  while (kept < old.length && kept < now.length && old[kept] === now[kept]) kept += 1;
  if (kept === old.length && kept === now.length) return [];
  return [[number, old.length - kept, ...now.slice(kept)]];
}
