/** The current attempt: the server's state, and the moves predicted on top of it. */

import { type View, applyDelta, cardsHome } from "./rules/board.ts";
import { EngineError } from "./rules/errors.ts";
import { isLegal } from "./rules/moves.ts";
import { moveText, parseMove } from "./rules/notation.ts";
import { type Move, ROW, type Ruleset } from "./rules/ruleset.ts";
import { type AttemptState, matches, readView, rulesOf } from "./attemptState.ts";
import { digest } from "./digest.ts";
import {
  type Ended,
  type Have,
  type Hinted,
  type Missed,
  type Moved,
  type PlayMove,
  type Result,
  type Attempt as Snapshot,
  type Undo,
  UNDO_DEPTH,
} from "./messages.ts";
import { Outbox, type PendingMove, UNDO } from "./outbox.ts";
import { type Prediction, predictedAfter } from "./prediction.ts";

/** The client's copy of an attempt. It does no I/O: its owner sends the `unsent` moves. */
export class Attempt {
  readonly #outbox = new Outbox();
  readonly #ruleset: Ruleset;
  #snapshot: Snapshot;
  /** The attempt's number in this session; null until the session has sent its state. */
  number: number | null;
  /** Whether this session has sent the current state. Until then, no moves are sent. */
  synced = true;
  /** Whether an event did not fit the local state. Only a snapshot repairs that. */
  diverged = false;
  /** Whether moves are held back because the server's store is unavailable. */
  postponed = false;
  /** Whether another session of the player plays the attempt. */
  elsewhere = false;
  /** Whether a hint request is in flight: its entry takes the next number. */
  hintPending = false;
  #view: View;
  #seq: number;
  #result: Result;
  #refusal: string | null = null;
  /** The views before the last moves, as far as this client saw them, for undo. */
  #history: readonly View[] = [];
  /** The number of consecutive acknowledged moves that can be undone. */
  #undoable: number;
  #hint: string | null;

  /** @throws `unknown_rules` if this client does not know the attempt's rules. */
  constructor(snapshot: Snapshot) {
    this.#ruleset = rulesOf(snapshot);
    this.#snapshot = snapshot;
    this.number = snapshot.number;
    this.#view = readView(this.#ruleset, snapshot);
    this.#seq = snapshot.seq;
    this.#result = snapshot.result;
    this.#undoable = snapshot.undoable;
    this.#hint = this.#hintIn(snapshot.hint);
  }

  get id(): string {
    return this.#snapshot.attempt;
  }

  /** The number of the next entry, provided that all pending moves are accepted. */
  get nextSeq(): number {
    return this.#seq + this.#outbox.moves.length + 1;
  }

  /** The acknowledged state, for requesting later entries; null after a divergence. */
  have(): Have | null {
    return this.diverged ? null : { seq: this.#seq, digest: digest(this.#view) };
  }

  state(): AttemptState {
    const { deal, commitment, game, variant, room, day, occasion, certificate } = this.#snapshot;
    const { started, deadline } = this.#snapshot;
    return {
      ...{ id: this.id, deal, commitment, game, variant, room, day, occasion, certificate },
      ...{ started, deadline },
      ruleset: this.#ruleset,
      view: this.#predict(Infinity).view,
      pending: this.#outbox.moves.length,
      seq: this.#seq,
      result: this.#result,
      refusal: this.#refusal,
      elsewhere: this.elsewhere,
      help: this.#snapshot.help,
      canUndo: this.#canUndo(),
      // The hint is for the acknowledged board, not for the predicted one.
      hint: this.#outbox.moves.length > 0 ? null : this.#hint,
    };
  }

  /** Play a move before the server accepts it; return false if it cannot be played now. */
  play(move: string): boolean {
    if (!this.#takesMoves()) return false;
    try {
      if (!isLegal(this.#predict(Infinity).view, parseMove(this.#ruleset, move))) return false;
    } catch (error) {
      if (error instanceof EngineError) return false;
      throw error;
    }
    this.#outbox.add(move, this.#seq);
    return true;
  }

  /**
   * Undo the last move. Return false if none can be undone now. The view changes immediately if
   * this client saw the previous one, otherwise after the server's answer.
   */
  undo(): boolean {
    if (!this.#canUndo()) return false;
    this.#outbox.add(UNDO, this.#seq);
    return true;
  }

  /** Whether a hint may be requested now. */
  get canAskHint(): boolean {
    return this.#snapshot.help === "hints" && this.#takesMoves();
  }

  #takesMoves(): boolean {
    if (this.#result.end !== null || this.elsewhere || this.hintPending) return false;
    return !this.#outbox.full && this.#predict(Infinity).whole;
  }

  #canUndo(): boolean {
    if (this.#snapshot.help === "none" || !this.#takesMoves()) return false;
    const { moves } = this.#outbox;
    // Pending moves can be undone too, before the server has accepted them.
    return moves.reduce((sum, { move }) => sum + (move === UNDO ? -1 : 1), this.#undoable) > 0;
  }

  /** The moves to send now: none while out of sync or postponed. */
  unsent(): readonly PendingMove[] {
    // Moves sent before the session's state arrives could have stale numbers.
    const waits = !this.synced || this.postponed;
    return waits ? [] : this.#outbox.moves.filter(({ id }) => id === null);
  }

  command({ seq, move }: PendingMove): PlayMove {
    const { source, target, count } = parseMove(this.#ruleset, move);
    const { pileNames } = this.#ruleset;
    return {
      ...{ number: this.#knownNumber(), seq, source },
      target: target === ROW ? pileNames.length : target,
      ...(count > 1 ? { count } : {}),
    };
  }

  undoCommand({ seq }: PendingMove): Undo {
    return { number: this.#knownNumber(), seq };
  }

  #knownNumber(): number {
    if (this.number === null) throw new RangeError("The session does not know this attempt yet.");
    return this.number;
  }

  sent(seq: number, id: number): void {
    this.#outbox.sent(seq, id);
  }

  /** Mark the session as lost: pending moves wait until the next session has sent its state. */
  lost(): void {
    this.number = null;
    this.synced = false;
    this.postponed = false;
    this.hintPending = false;
    this.#outbox.lost();
  }

  /**
   * Postpone the pending moves because the store was unavailable for command `id`. Return false if
   * that command carries no pending move.
   */
  postpone(id: number): boolean {
    if (!this.#outbox.unanswered(id)) return false;
    this.postponed = true;
    return true;
  }

  /** Replace the state with a snapshot, in answer to command `id` or, if null, unsolicited. */
  resync(snapshot: Snapshot, id: number | null): void {
    const view = readView(this.#ruleset, snapshot);
    // Pending moves are void if other entries precede them than those they were predicted on.
    const ours = snapshot.seq >= this.#seq && matches(this.#predict(snapshot.seq).view, view);
    if (ours && snapshot.result.end === null) this.#outbox.snapshot(snapshot.seq, id);
    else this.#outbox.clear();
    this.#snapshot = snapshot;
    this.#setNumber(snapshot.number);
    this.#view = view;
    this.#seq = snapshot.seq;
    this.#result = snapshot.result;
    // A snapshot has no earlier boards: undoing one of its moves waits for the server.
    this.#history = [];
    this.#undoable = snapshot.undoable;
    this.#hint = this.#hintIn(snapshot.hint);
    this.diverged = false;
    this.#markSynced();
  }

  /** Apply the entries after a known one. Return false if they do not fit: request a snapshot. */
  missed({ number, since, seq, moves, result }: Missed): boolean {
    this.#setNumber(number);
    const last = since + moves.length;
    // An end without a move, such as a resignation, is an entry of its own.
    const whole = seq === last || (seq === last + 1 && result.end !== null);
    const fits = whole && since <= this.#seq;
    if (!fits || !moves.every((move, at) => this.#applyEntry(since + 1 + at, move, move))) {
      return this.#markDiverged();
    }
    this.#seq = Math.max(seq, this.#seq);
    this.#end(result);
    this.#markSynced();
    return true;
  }

  /**
   * Apply an accepted move, which was sent as `played`. Return false if the command is unknown or
   * the move does not follow the local state: request a snapshot.
   */
  moved({ seq, changes, time, end, redeals }: Moved, played: PlayMove | null): boolean {
    const known = seq <= this.#seq;
    const after = { changes, redeals: redeals ?? this.#view.redeals };
    if (played === null || !this.#applyEntry(seq, played, after)) return this.#markDiverged();
    if (!known) {
      const home = cardsHome(this.#view);
      const { total } = this.#ruleset;
      const { moves } = this.#view;
      const left = total - home;
      this.#end({ ...this.#result, home, left, time: time ?? this.#result.time, moves, end });
    }
    return true;
  }

  /** Apply a move as entry `seq`. Return false if it does not follow the local state. */
  #applyEntry(
    seq: number,
    played: Pick<PlayMove, "source" | "target" | "count">,
    { changes, redeals }: { changes: Moved["changes"]; redeals: number },
  ): boolean {
    if (seq > this.#seq + 1) return false;
    const undoes = played.count === 0;
    const text = undoes ? UNDO : moveText(this.#ruleset, this.#moveOf(played));
    this.#outbox.acknowledged(seq, text);
    this.#refusal = null;
    // A duplicate: the entry is already part of the view.
    if (seq <= this.#seq) return true;
    const before = this.#view;
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
    this.#hint = null;
    this.#remember(undoes, before);
    return true;
  }

  /** Update the history that undo uses, after a move from the view `before` or an undo. */
  #remember(undoes: boolean, before: View): void {
    if (this.#snapshot.help === "none") return;
    this.#history = undoes
      ? this.#history.slice(0, -1)
      : [...this.#history, before].slice(-UNDO_DEPTH);
    this.#undoable = undoes
      ? Math.max(0, this.#undoable - 1)
      : Math.min(UNDO_DEPTH, this.#undoable + 1);
  }

  /** Apply a hint. Return false if it does not follow the local state: request a snapshot. */
  hinted({ seq, move, hints }: Hinted): boolean {
    // A later move has already replaced this hint.
    if (seq < this.#seq) return true;
    if (seq > this.#seq + 1) return this.#markDiverged();
    this.#seq = seq;
    this.#result = { ...this.#result, hints };
    this.#hint = this.#hintIn(move);
    return true;
  }

  #hintIn(numbers: readonly number[] | null): string | null {
    if (numbers === null) return null;
    const [source = 0, target = 0, count = 1] = numbers;
    return moveText(this.#ruleset, this.#moveOf({ source, target, count }));
  }

  /** Decode a move from the wire, where the target of a row is the pile number after the last. */
  #moveOf({ source, target, count = 1 }: Pick<PlayMove, "source" | "target" | "count">): Move {
    return { source, target: target === this.#ruleset.pileNames.length ? ROW : target, count };
  }

  /** End the attempt without a move. Return false if entries are missing: request a snapshot. */
  ended({ seq, result }: Ended): boolean {
    this.#end(result);
    if (seq > this.#seq + 1) return this.#markDiverged();
    this.#seq = Math.max(seq, this.#seq);
    return true;
  }

  /** Drop the refused move of command `id`, and keep the reason. */
  refused(id: number, sentence: string): void {
    if (this.#outbox.refused(id)) this.#refusal = sentence;
  }

  /** Set the attempt's number. A new session reports separately whether another one plays. */
  #setNumber(number: number): void {
    if (this.number === null) this.elsewhere = false;
    this.number = number;
  }

  /** Mark the local state as the server's: moves may be sent. */
  #markSynced(): void {
    this.synced = true;
    this.postponed = false;
  }

  /** Stop sending until a snapshot arrives; return false. */
  #markDiverged(): false {
    this.diverged = true;
    this.synced = false;
    return false;
  }

  #end(result: Result): void {
    this.#result = result;
    if (result.end !== null) this.#outbox.clear();
  }

  #predict(seq: number): Prediction {
    return predictedAfter(this.#outbox.moves, seq, this.#view, this.#history);
  }
}
