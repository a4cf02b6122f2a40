/** Moves that are played here and not acknowledged yet, with their numbers in the journal. */

/** A move on its way. `id` is that of the command which carries it, null until it is sent. */
export interface PendingMove {
  readonly seq: number;
  readonly move: string;
  readonly id: number | null;
}

/** The most moves on their way at a time; who plays on must wait for the server. */
export const MOST_PENDING = 20;

/** The pending moves of one attempt, with ascending numbers that leave none out. */
export class Outbox {
  #moves: readonly PendingMove[] = [];

  get moves(): readonly PendingMove[] {
    return this.#moves;
  }

  get full(): boolean {
    return this.#moves.length >= MOST_PENDING;
  }

  /** Add a move that is to be the journal's entry after `seq` and the pending ones. */
  add(move: string, seq: number): void {
    this.#moves = [...this.#moves, { seq: seq + this.#moves.length + 1, move, id: null }];
  }

  /** The move of this number went out with the command `id`. */
  sent(seq: number, id: number): void {
    this.#moves = this.#moves.map((entry) => (entry.seq === seq ? { ...entry, id } : entry));
  }

  /** The session is lost: nothing is on its way any more. */
  lost(): void {
    this.#unsend(0);
  }

  /** It is not known what became of the command `id`: its move and all that follow go again. False if none does. */
  unanswered(id: number): boolean {
    const at = this.#moves.findIndex((entry) => entry.id === id);
    if (at >= 0) this.#unsend(at);
    return at >= 0;
  }

  /**
   * A move stands in the journal as entry `seq`. If it is not the one that was pending with that
   * number, someone else plays this attempt, and what was meant to follow makes no sense any more.
   */
  acknowledged(seq: number, move: string): void {
    const [first, ...rest] = this.#moves;
    if (first === undefined || first.seq > seq) return;
    this.#moves = first.seq === seq && first.move === move ? rest : [];
  }

  /** The command `id` was refused: its move and all that follow it are gone. False if none is. */
  refused(id: number): boolean {
    const at = this.#moves.findIndex((entry) => entry.id === id);
    if (at < 0) return false;
    this.#moves = this.#moves.slice(0, at);
    return true;
  }

  /**
   * A snapshot holds entries up to `seq`, and was taken when the command `id` was handled (null if
   * unasked). Drop what it contains, and what the server had seen by then and not taken. What the
   * server has not seen yet stays if it goes on from there.
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

  #unsend(from: number): void {
    this.#moves = this.#moves.map((entry, at) => (at < from ? entry : { ...entry, id: null }));
  }
}
