/** The pending moves of an attempt: played locally, not yet acknowledged. */

/** The text of a pending undo. */
export const UNDO = "undo";

/** A pending move: its journal entry, its text, and its command's id (null while unsent). */
export interface PendingMove {
  readonly seq: number;
  readonly move: string;
  readonly id: number | null;
}

/** The most pending moves; further ones are rejected until the server has answered. */
export const MAX_PENDING = 20;

/** The pending moves of one attempt, with consecutive numbers. */
export class Outbox {
  #moves: readonly PendingMove[] = [];

  get moves(): readonly PendingMove[] {
    return this.#moves;
  }

  get full(): boolean {
    return this.#moves.length >= MAX_PENDING;
  }

  /** Append a move, numbered after the pending moves and the journal entry `seq`. */
  add(move: string, seq: number): void {
    this.#moves = [...this.#moves, { seq: seq + this.#moves.length + 1, move, id: null }];
  }

  /** Record that the move with this number was sent as command `id`. */
  sent(seq: number, id: number): void {
    this.#moves = this.#moves.map((entry) => (entry.seq === seq ? { ...entry, id } : entry));
  }

  /** Mark all moves as unsent after a lost session. */
  lost(): void {
    this.#markUnsent(0);
  }

  /** Mark the move of command `id`, and later ones, as unsent. Return false if it carried none. */
  unanswered(id: number): boolean {
    const at = this.#moves.findIndex((entry) => entry.id === id);
    if (at >= 0) this.#markUnsent(at);
    return at >= 0;
  }

  /**
   * Record that journal entry `seq` is this move. If a different move was pending with that number,
   * the attempt is also played elsewhere, and all pending moves are dropped.
   */
  acknowledged(seq: number, move: string): void {
    const [first, ...rest] = this.#moves;
    if (first === undefined || first.seq > seq) return;
    this.#moves = first.seq === seq && first.move === move ? rest : [];
  }

  /** Drop the move of the refused command `id`, and later ones. Return false if it carried none. */
  refused(id: number): boolean {
    const at = this.#moves.findIndex((entry) => entry.id === id);
    if (at < 0) return false;
    this.#moves = this.#moves.slice(0, at);
    return true;
  }

  /**
   * Apply a snapshot of the entries up to `seq`, taken when command `id` was handled (null if
   * unsolicited). Drop the moves it contains, and those the server had received by then without
   * accepting. Keep later moves if they continue from there.
   */
  snapshot(seq: number, id: number | null): void {
    const rest = this.#moves.filter(
      (entry) => entry.seq > seq && (entry.id === null || id === null || entry.id > id),
    );
    this.#moves = rest[0]?.seq === seq + 1 ? rest : [];
  }

  clear(): void {
    this.#moves = [];
  }

  #markUnsent(from: number): void {
    this.#moves = this.#moves.map((entry, at) => (at < from ? entry : { ...entry, id: null }));
  }
}
