/** The attempt that is being played: what the server said, and what is foreseen on top of it. */

import { type View, applyDelta, cardsHome, pileAt } from "./rules/board.ts";
import { UNSEEN } from "./rules/cards.ts";
import { findStoredRuleset } from "./rules/catalog.ts";
import { EngineError } from "./rules/errors.ts";
import { isLegal } from "./rules/moves.ts";
import { moveText, parseMove } from "./rules/notation.ts";
import { predict } from "./rules/play.ts";
import { type Move, ROW, type Ruleset } from "./rules/ruleset.ts";
import { digest } from "./digest.ts";
import type {
  Ended,
  Have,
  Missed,
  Moved,
  PlayMove,
  Result,
  Attempt as Snapshot,
} from "./messages.ts";
import { Outbox, type PendingMove } from "./outbox.ts";

/** An attempt as its player sees it. */
export interface AttemptState {
  readonly id: string;
  readonly deal: string;
  readonly commitment: string;
  readonly game: string;
  readonly variant: string;
  readonly room: string | null;
  readonly day: number | null;
  readonly ruleset: Ruleset;
  /** The view with the pending moves played on it. */
  readonly view: View;
  /** How many moves are not acknowledged yet. */
  readonly pending: number;
  /** The last entry of the journal that is known here. */
  readonly seq: number;
  readonly started: number;
  readonly deadline: number;
  /** How it stands by the server; pending moves do not count. */
  readonly result: Result;
  /** Why the last refused move was refused, until another one is accepted. */
  readonly refusal: string | null;
}

/** One attempt on this side of the wire. It does no I/O: its owner sends `unsent` moves. */
export class Attempt {
  readonly #outbox = new Outbox();
  readonly #ruleset: Ruleset;
  #snapshot: Snapshot;
  /** What this session knows it by, as far as it does. */
  #number: number | null;
  #view: View;
  #seq: number;
  #result: Result;
  #refusal: string | null = null;
  #synced = true;
  #astray = false;
  #postponed = false;

  /** Throws `unknown_rules` if it is played by rules that are not known here. */
  constructor(snapshot: Snapshot) {
    this.#ruleset = rulesOf(snapshot);
    this.#snapshot = snapshot;
    this.#number = snapshot.number;
    this.#view = readView(this.#ruleset, snapshot);
    this.#seq = snapshot.seq;
    this.#result = snapshot.result;
  }

  get id(): string {
    return this.#snapshot.attempt;
  }

  /** What the session knows it by; null until a new session has told how it stands. */
  get number(): number | null {
    return this.#number;
  }

  /** The number of the next entry, if all pending moves are accepted. */
  get nextSeq(): number {
    return this.#seq + this.#outbox.moves.length + 1;
  }

  /** Whether what the server said last is all that is known here to have happened. */
  get synced(): boolean {
    return this.#synced;
  }

  /** Whether something came that does not fit what is known here; only a snapshot helps. */
  get astray(): boolean {
    return this.#astray;
  }

  /** Whether moves wait for the server's store. */
  get postponed(): boolean {
    return this.#postponed;
  }

  /** What is acknowledged, for asking what came after it; null when astray. */
  have(): Have | null {
    return this.#astray ? null : { seq: this.#seq, digest: digest(this.#view) };
  }

  state(): AttemptState {
    const { deal, commitment, game, variant, room, day, started, deadline } = this.#snapshot;
    return {
      ...{ id: this.id, deal, commitment, game, variant, room, day, started, deadline },
      ruleset: this.#ruleset,
      view: this.#foreseen(Infinity),
      pending: this.#outbox.moves.length,
      seq: this.#seq,
      result: this.#result,
      refusal: this.#refusal,
    };
  }

  /** Play a move ahead of the server's word; false if it cannot be, or it is known to be illegal. */
  play(move: string): boolean {
    if (this.#result.end !== null || this.#outbox.full) return false;
    try {
      if (!isLegal(this.#foreseen(Infinity), parseMove(this.#ruleset, move))) return false;
    } catch (error) {
      if (error instanceof EngineError) return false;
      throw error;
    }
    this.#outbox.add(move, this.#seq);
    return true;
  }

  /** The moves that are to be sent now: none until a new session has told how it stands. */
  unsent(): readonly PendingMove[] {
    const waits = !this.#synced || this.#postponed;
    return waits ? [] : this.#outbox.moves.filter(({ id }) => id === null);
  }

  /** A pending move as it is sent. */
  command({ seq, move }: PendingMove): PlayMove {
    if (this.#number === null) throw new RangeError("The session does not know this attempt yet.");
    const { source, target, count } = parseMove(this.#ruleset, move);
    const { pileNames } = this.#ruleset;
    return {
      ...{ number: this.#number, seq, source },
      target: target === ROW ? pileNames.length : target,
      ...(count > 1 ? { count } : {}),
    };
  }

  /** The move of this number went out with the command `id`. */
  sent(seq: number, id: number): void {
    this.#outbox.sent(seq, id);
  }

  /** The session is lost: pending moves wait for what the next one tells. */
  lost(): void {
    this.#number = null;
    this.#synced = false;
    this.#postponed = false;
    this.#outbox.lost();
  }

  /** The server's store did not answer the command `id`; false if that carries no pending move. */
  postpone(id: number): boolean {
    if (!this.#outbox.unanswered(id)) return false;
    this.#postponed = true;
    return true;
  }

  /** The postponed moves are to be sent again. */
  goOn(): void {
    this.#postponed = false;
  }

  /** A snapshot came, as the answer to the command `id` or unasked. It is what holds. */
  resync(snapshot: Snapshot, id: number | null): void {
    const view = readView(this.#ruleset, snapshot);
    // Were the journal's new entries other moves than the pending ones, the rest would be out of place.
    const ours = snapshot.seq >= this.#seq && agrees(this.#foreseen(snapshot.seq), view);
    if (ours && snapshot.result.end === null) this.#outbox.snapshot(snapshot.seq, id);
    else this.#outbox.clear();
    this.#snapshot = snapshot;
    this.#number = snapshot.number;
    this.#view = view;
    this.#seq = snapshot.seq;
    this.#result = snapshot.result;
    this.#astray = false;
    this.#told();
  }

  /** What came after an entry that is known here. False if it does not fit: ask for a snapshot. */
  missed({ number, since, seq, moves, result }: Missed): boolean {
    this.#number = number;
    const last = since + moves.length;
    const whole = seq === last || (seq === last + 1 && result.end !== null);
    const fits = whole && since <= this.#seq;
    if (!fits || !moves.every((move, at) => this.#follow(since + 1 + at, move, move))) {
      return this.#goAstray();
    }
    this.#seq = Math.max(seq, this.#seq);
    this.#end(result);
    this.#told();
    return true;
  }

  /**
   * The move that was sent as `played` stands. False if it is not known what was sent, or what is
   * known here does not lead up to it: ask for a snapshot.
   */
  moved({ seq, changes, time, end, redeals }: Moved, played: PlayMove | null): boolean {
    const known = seq <= this.#seq;
    const after = { changes, redeals: redeals ?? this.#view.redeals };
    if (played === null || !this.#follow(seq, played, after)) return this.#goAstray();
    if (!known) {
      const home = cardsHome(this.#view);
      const { total } = this.#ruleset;
      const { moves } = this.#view;
      this.#end({ home, left: total - home, time: time ?? this.#result.time, moves, end });
    }
    return true;
  }

  /** Take in that entry `seq` is this move. False if it does not follow from what is known. */
  #follow(
    seq: number,
    played: Pick<PlayMove, "source" | "target" | "count">,
    { changes, redeals }: { changes: Moved["changes"]; redeals: number },
  ): boolean {
    if (seq > this.#seq + 1) return false;
    this.#outbox.acknowledged(seq, moveText(this.#ruleset, this.#moveOf(played)));
    this.#refusal = null;
    if (seq <= this.#seq) return true;
    try {
      this.#view = applyDelta(this.#view, {
        changes: changes.map(([pile = -1, take = -1, ...put]) => ({ pile, take, put })),
        redeals,
        moves: this.#view.moves + 1,
      });
    } catch (error) {
      if (error instanceof EngineError) return false;
      throw error;
    }
    this.#seq = seq;
    return true;
  }

  /** A move from the wire, where a row is dealt onto the pile after the last. */
  #moveOf({ source, target, count = 1 }: Pick<PlayMove, "source" | "target" | "count">): Move {
    return { source, target: target === this.#ruleset.pileNames.length ? ROW : target, count };
  }

  /** The attempt is over without a move. False as for `moved`. */
  ended({ seq, result }: Ended): boolean {
    this.#end(result);
    if (seq > this.#seq + 1) return this.#goAstray();
    this.#seq = Math.max(seq, this.#seq);
    return true;
  }

  /** The command `id` was refused with this sentence. */
  refused(id: number, sentence: string): void {
    if (this.#outbox.refused(id)) this.#refusal = sentence;
  }

  /** The server has told how it stands: moves may be sent. */
  #told(): void {
    this.#synced = true;
    this.#postponed = false;
  }

  /** Nothing is sent until a snapshot has come. */
  #goAstray(): false {
    this.#astray = true;
    this.#synced = false;
    return false;
  }

  #end(result: Result): void {
    this.#result = result;
    if (result.end !== null) this.#outbox.clear();
  }

  /** The view with the pending moves up to entry `seq` played on it, as far as they are legal. */
  #foreseen(seq: number): View {
    let view = this.#view;
    for (const pending of this.#outbox.moves) {
      if (pending.seq > seq) break;
      const move = parseMove(this.#ruleset, pending.move);
      if (!isLegal(view, move)) break;
      view = predict(view, move);
    }
    return view;
  }
}

/** The rules that an attempt is played by; throws `unknown_rules`. */
export function rulesOf({ game, variant, rules }: Snapshot): Ruleset {
  return findStoredRuleset(game, variant, rules);
}

function readView(ruleset: Ruleset, { piles, redeals, result }: Snapshot): View {
  return {
    ruleset,
    piles: ruleset.pileNames.map((_, number) => [...(piles[number] ?? [])]),
    redeals,
    moves: result.moves,
  };
}

/** Whether all that a prediction shows is so. */
function agrees(foreseen: View, view: View): boolean {
  return view.piles.every((pile, number) => {
    const guess = pileAt(foreseen, number);
    return (
      guess.length === pile.length &&
      guess.every((card, at) => card === UNSEEN || card === pile[at])
    );
  });
}
