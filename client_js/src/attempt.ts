/** The attempt that is being played: the server's state, and the moves predicted on top of it. */

import { type View, applyDelta, cardsHome, pileAt } from "./rules/board.ts";
import { UNSEEN } from "./rules/cards.ts";
import { findStoredRuleset } from "./rules/catalog.ts";
import { EngineError } from "./rules/errors.ts";
import { isLegal } from "./rules/moves.ts";
import { moveText, parseMove } from "./rules/notation.ts";
import { predict } from "./rules/play.ts";
import { type Move, ROW, type Ruleset } from "./rules/ruleset.ts";
import { digest } from "./digest.ts";
import {
  type Certificate,
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

/** An attempt as its player sees it. */
export interface AttemptState {
  readonly id: string;
  readonly deal: string;
  readonly commitment: string;
  readonly game: string;
  readonly variant: string;
  readonly room: string | null;
  readonly day: number | null;
  /** What else it is played for: `c:` and the id of a challenge; null for a room's, or a daily. */
  readonly occasion: string | null;
  /** The proof about its deal; null if there is none. */
  readonly certificate: Certificate | null;
  readonly ruleset: Ruleset;
  /** The view with the pending moves played on it. */
  readonly view: View;
  /** How many moves are not acknowledged yet. */
  readonly pending: number;
  /** The number of the journal's last entry that is known here. */
  readonly seq: number;
  readonly started: number;
  readonly deadline: number;
  /** The result of the acknowledged moves. */
  readonly result: Result;
  /** Why the last refused move was refused, until another one is accepted. */
  readonly refusal: string | null;
  /**
   * Whether it is played in another tab or on another device: then it is followed here, and no move
   * is taken until `takeOver`.
   */
  readonly elsewhere: boolean;
  /** The help that may be asked for: none, undoing moves, or that and hints. */
  readonly help: Snapshot["help"];
  /** Whether a move can be undone now. */
  readonly canUndo: boolean;
  /** The move that the hint on this board names; null if none was given. */
  readonly hint: string | null;
}

/** The client's copy of an attempt. It does no I/O: its owner sends the `unsent` moves. */
export class Attempt {
  readonly #outbox = new Outbox();
  readonly #ruleset: Ruleset;
  #snapshot: Snapshot;
  /** Its number in this session; null until the session has sent its state. */
  #number: number | null;
  #view: View;
  #seq: number;
  #result: Result;
  #refusal: string | null = null;
  #synced = true;
  #diverged = false;
  #postponed = false;
  #elsewhere = false;
  /** The views before the last moves, as far as they were seen here; what an undo leads back to. */
  #history: readonly View[] = [];
  /** How many acknowledged moves can be undone in a row. */
  #undoable: number;
  #hint: string | null;
  /** Whether a hint was asked for, and is not answered yet: its entry takes the next number. */
  #asking = false;

  /** Throws `unknown_rules` if its rules are not known here. */
  constructor(snapshot: Snapshot) {
    this.#ruleset = rulesOf(snapshot);
    this.#snapshot = snapshot;
    this.#number = snapshot.number;
    this.#view = readView(this.#ruleset, snapshot);
    this.#seq = snapshot.seq;
    this.#result = snapshot.result;
    this.#undoable = snapshot.undoable;
    this.#hint = this.#hintIn(snapshot.hint);
  }

  get id(): string {
    return this.#snapshot.attempt;
  }

  /** Its number in this session; null until the session has sent its state. */
  get number(): number | null {
    return this.#number;
  }

  /** The number of the next entry, if all pending moves are accepted. */
  get nextSeq(): number {
    return this.#seq + this.#outbox.moves.length + 1;
  }

  /** Whether this session has sent the state that is held here; else no moves are sent. */
  get synced(): boolean {
    return this.#synced;
  }

  /** Whether an event did not fit the state held here, which only a snapshot mends. */
  get diverged(): boolean {
    return this.#diverged;
  }

  /** Whether moves wait because the server's store is away. */
  get postponed(): boolean {
    return this.#postponed;
  }

  /** Whether it is played in another session of the player. */
  get elsewhere(): boolean {
    return this.#elsewhere;
  }

  /** The acknowledged state, for asking what came after it; null if it has diverged. */
  have(): Have | null {
    return this.#diverged ? null : { seq: this.#seq, digest: digest(this.#view) };
  }

  state(): AttemptState {
    const { deal, commitment, game, variant, room, day, occasion, certificate } = this.#snapshot;
    const { started, deadline } = this.#snapshot;
    return {
      ...{ id: this.id, deal, commitment, game, variant, room, day, occasion, certificate },
      ...{ started, deadline },
      ruleset: this.#ruleset,
      view: this.#predicted(Infinity),
      pending: this.#outbox.moves.length,
      seq: this.#seq,
      result: this.#result,
      refusal: this.#refusal,
      elsewhere: this.#elsewhere,
      help: this.#snapshot.help,
      canUndo: this.#canUndo(),
      hint: this.#outbox.moves.length > 0 ? null : this.#hint,
    };
  }

  /** Play a move before the server accepts it; false if it is not legal or cannot be taken now. */
  play(move: string): boolean {
    if (!this.#takesMoves()) return false;
    try {
      if (!isLegal(this.#predicted(Infinity), parseMove(this.#ruleset, move))) return false;
    } catch (error) {
      if (error instanceof EngineError) return false;
      throw error;
    }
    this.#outbox.add(move, this.#seq);
    return true;
  }

  /**
   * Undo the last move; false if there is none, or no undo. It is undone at once if the view before
   * it was seen here, or else when the server has answered.
   */
  undo(): boolean {
    if (!this.#canUndo()) return false;
    this.#outbox.add(UNDO, this.#seq);
    return true;
  }

  /** Whether a hint may be asked for now. */
  get mayAskHint(): boolean {
    return this.#snapshot.help === "hints" && this.#takesMoves();
  }

  /** A hint was asked for, or is not awaited any more. */
  setAsking(asking: boolean): void {
    this.#asking = asking;
  }

  #takesMoves(): boolean {
    if (this.#result.end !== null || this.#elsewhere || this.#asking) return false;
    return !this.#outbox.full && this.#predictions(Infinity).whole;
  }

  #canUndo(): boolean {
    if (this.#snapshot.help === "none" || !this.#takesMoves()) return false;
    const { moves } = this.#outbox;
    return moves.reduce((sum, { move }) => sum + (move === UNDO ? -1 : 1), this.#undoable) > 0;
  }

  /** The moves to send now: none while not synced, or while postponed. */
  unsent(): readonly PendingMove[] {
    const waits = !this.#synced || this.#postponed;
    return waits ? [] : this.#outbox.moves.filter(({ id }) => id === null);
  }

  /** The command that carries a pending move. */
  command({ seq, move }: PendingMove): PlayMove {
    const { source, target, count } = parseMove(this.#ruleset, move);
    const { pileNames } = this.#ruleset;
    return {
      ...{ number: this.#knownNumber(), seq, source },
      target: target === ROW ? pileNames.length : target,
      ...(count > 1 ? { count } : {}),
    };
  }

  /** The command that carries a pending undo. */
  undoCommand({ seq }: PendingMove): Undo {
    return { number: this.#knownNumber(), seq };
  }

  #knownNumber(): number {
    if (this.#number === null) throw new RangeError("The session does not know this attempt yet.");
    return this.#number;
  }

  /** Record that the move of this number was sent as the command `id`. */
  sent(seq: number, id: number): void {
    this.#outbox.sent(seq, id);
  }

  /** The session is lost: pending moves wait until the next one has sent its state. */
  lost(): void {
    this.#number = null;
    this.#synced = false;
    this.#postponed = false;
    this.#asking = false;
    this.#outbox.lost();
  }

  /** The server's store was away for the command `id`; false if that carries no pending move. */
  postpone(id: number): boolean {
    if (!this.#outbox.unanswered(id)) return false;
    this.#postponed = true;
    return true;
  }

  /** Another session of the player plays from now on, or this one does. */
  setElsewhere(elsewhere: boolean): void {
    this.#elsewhere = elsewhere;
  }

  /** Let the postponed moves be sent again. */
  resumeSending(): void {
    this.#postponed = false;
  }

  /** Replace the state by a snapshot: the answer to the command `id`, or, if null, unsolicited. */
  resync(snapshot: Snapshot, id: number | null): void {
    const view = readView(this.#ruleset, snapshot);
    // Pending moves after other entries than they were predicted on are void.
    const ours = snapshot.seq >= this.#seq && matches(this.#predicted(snapshot.seq), view);
    if (ours && snapshot.result.end === null) this.#outbox.snapshot(snapshot.seq, id);
    else this.#outbox.clear();
    this.#snapshot = snapshot;
    this.#setNumber(snapshot.number);
    this.#view = view;
    this.#seq = snapshot.seq;
    this.#result = snapshot.result;
    this.#history = [];
    this.#undoable = snapshot.undoable;
    this.#hint = this.#hintIn(snapshot.hint);
    this.#diverged = false;
    this.#markSynced();
  }

  /** Apply what came after a known entry. False if it does not fit: ask for a snapshot. */
  missed({ number, since, seq, moves, result }: Missed): boolean {
    this.#setNumber(number);
    const last = since + moves.length;
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
   * Apply an accepted move, which was sent as `played`. False if that is not known, or if the move
   * does not follow the state held here: ask for a snapshot.
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

  /** Apply this move as entry `seq`. False if it does not follow the state held here. */
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

  /** Note what the next undo leads back to, after a move from the view `before`, or an undo. */
  #remember(undoes: boolean, before: View): void {
    if (this.#snapshot.help === "none") return;
    this.#history = undoes
      ? this.#history.slice(0, -1)
      : [...this.#history, before].slice(-UNDO_DEPTH);
    this.#undoable = undoes
      ? Math.max(0, this.#undoable - 1)
      : Math.min(UNDO_DEPTH, this.#undoable + 1);
  }

  /** Apply a hint. False if it does not follow the state held here: ask for a snapshot. */
  hinted({ seq, move, hints }: Hinted): boolean {
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

  /** A move from the wire, which encodes a row as the pile after the last. */
  #moveOf({ source, target, count = 1 }: Pick<PlayMove, "source" | "target" | "count">): Move {
    return { source, target: target === this.#ruleset.pileNames.length ? ROW : target, count };
  }

  /** End the attempt without a move. False if entries are missing: ask for a snapshot. */
  ended({ seq, result }: Ended): boolean {
    this.#end(result);
    if (seq > this.#seq + 1) return this.#markDiverged();
    this.#seq = Math.max(seq, this.#seq);
    return true;
  }

  /** Drop the refused move of the command `id`, and keep the sentence that says why. */
  refused(id: number, sentence: string): void {
    if (this.#outbox.refused(id)) this.#refusal = sentence;
  }

  /** Set its number; a new session is told anew if another one plays. */
  #setNumber(number: number): void {
    if (this.#number === null) this.#elsewhere = false;
    this.#number = number;
  }

  /** The state held here is the server's: moves may be sent. */
  #markSynced(): void {
    this.#synced = true;
    this.#postponed = false;
  }

  /** Send nothing until a snapshot has come; returns false. */
  #markDiverged(): false {
    this.#diverged = true;
    this.#synced = false;
    return false;
  }

  #end(result: Result): void {
    this.#result = result;
    if (result.end !== null) this.#outbox.clear();
  }

  /** The view after the pending moves up to entry `seq`, as far as they can be foreseen. */
  #predicted(seq: number): View {
    return this.#predictions(seq).view;
  }

  /** The same, and whether all of these moves were foreseen. */
  #predictions(seq: number): { readonly view: View; readonly whole: boolean } {
    let view = this.#view;
    let before = this.#history;
    for (const pending of this.#outbox.moves) {
      if (pending.seq > seq) break;
      if (pending.move === UNDO) {
        const back = before.at(-1);
        if (back === undefined) return { view, whole: false };
        before = before.slice(0, -1);
        view = { ...back, moves: view.moves + 1 };
      } else {
        const move = parseMove(this.#ruleset, pending.move);
        if (!isLegal(view, move)) break;
        before = [...before, view];
        view = predict(view, move);
      }
    }
    return { view, whole: true };
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

/** Whether the view has the predicted piles, as far as their cards were known. */
function matches(predicted: View, view: View): boolean {
  return view.piles.every((pile, number) => {
    const guess = pileAt(predicted, number);
    return (
      guess.length === pile.length &&
      guess.every((card, at) => card === UNSEEN || card === pile[at])
    );
  });
}
