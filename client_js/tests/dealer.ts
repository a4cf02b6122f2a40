/** A truthful server of one attempt: it plays by the rules, and answers as the protocol says. */

import { digest } from "../src/digest.ts";
import type { EventOf, Have, Moved, Result, Snapshot } from "../src/protocol.ts";
import { type Board, cardsHome, viewOf } from "../src/rules/board.ts";
import type { Pile } from "../src/rules/cards.ts";
import { findRuleset } from "../src/rules/catalog.ts";
import { dealSeed, parseSeed } from "../src/rules/deal.ts";
import { EngineError } from "../src/rules/errors.ts";
import { isStuck, isWon } from "../src/rules/moves.ts";
import { parseMove, seenText } from "../src/rules/notation.ts";
import { play } from "../src/rules/play.ts";

export const ATTEMPT = "rw4kq8d2n6vx1zt7.k3mq7w2r5t9xkz4b";

export class Dealer {
  board: Board;
  /** The moves that stand; entry 1 of the journal is the start. */
  readonly journal: Omit<Moved, "attempt">[] = [];
  end: Result["end"] = null;
  /** By entry, less one: what the player saw with it. */
  readonly #digests: number[] = [];

  constructor(game: string, seed: string, variant?: string) {
    this.board = dealSeed(findRuleset(game, variant), parseSeed(seed));
    this.#digests.push(digest(viewOf(this.board)));
  }

  /** An end without a move is an entry too. */
  get seq(): number {
    return this.journal.length + (this.end === "resigned" ? 2 : 1);
  }

  get result(): Result {
    const home = cardsHome(this.board);
    const { moves, ruleset } = this.board;
    return { home, left: ruleset.total - home, time: 0, moves, end: this.end };
  }

  snapshot(id: string = ATTEMPT): Snapshot & { type: "attempt" } {
    const { ruleset } = this.board;
    const piles = viewOf(this.board).piles.map(seenText);
    return {
      type: "attempt",
      attempt: id,
      deal: "rw4kq8d2n6vx1zt7",
      commitment: "00",
      game: ruleset.game,
      variant: ruleset.variant,
      room: null,
      day: 20778,
      seq: this.seq,
      piles: Object.fromEntries(ruleset.pileNames.map((name, at) => [name, piles[at] ?? ""])),
      redeals: this.board.redeals,
      started: 0,
      deadline: 1_000,
      now: 0,
      result: this.result,
    };
  }

  /** What came after what a client has, or the snapshot if it has something else. */
  opened(have?: Have): EventOf<"attempt"> | EventOf<"missed"> {
    if (have === undefined || this.#digests[have.seq - 1] !== have.digest) return this.snapshot();
    return {
      ...{ type: "missed", attempt: ATTEMPT, since: have.seq, seq: this.seq, now: 0 },
      moves: this.journal
        .slice(have.seq - 1)
        .map(({ move, changes, redeals }) => [move, changes, redeals]),
      result: this.result,
    };
  }

  /** End the attempt as it stands. */
  resign(): void {
    this.#digests.push(digest(viewOf(this.board)));
    this.end = "resigned";
  }

  /** The answer to a move: it stands, stood already, is refused, or has the wrong number. */
  answer(seq: number, move: string): EventOf<"moved"> | EventOf<"attempt"> | EventOf<"refused"> {
    const stands = this.journal[seq - 2];
    if (stands?.move === move) return { type: "moved", attempt: ATTEMPT, ...stands };
    if (seq !== this.seq + 1) return this.snapshot();
    try {
      return this.play(move);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      return { type: "refused", code: error.code, text: error.message };
    }
  }

  /** Play a move into the journal. */
  play(move: string): EventOf<"moved"> {
    const { ruleset } = this.board;
    const before = viewOf(this.board).piles;
    this.board = play(this.board, parseMove(ruleset, move));
    if (isWon(this.board)) this.end = "won";
    else if (isStuck(this.board)) this.end = "stuck";
    const after = viewOf(this.board).piles;
    const changes = ruleset.pileNames.flatMap((name, at) =>
      change(name, before[at] ?? [], after[at] ?? []),
    );
    const entry = { seq: this.seq + 1, move, changes, redeals: this.board.redeals };
    this.journal.push({ ...entry, result: this.result });
    this.#digests.push(digest(viewOf(this.board)));
    return { type: "moved", attempt: ATTEMPT, ...entry, result: this.result };
  }
}

function change(name: string, old: Pile, now: Pile): [string, number, string][] {
  let kept = 0;
  while (kept < old.length && kept < now.length && old[kept] === now[kept]) kept += 1;
  if (kept === old.length && kept === now.length) return [];
  return [[name, old.length - kept, seenText(now.slice(kept))]];
}
