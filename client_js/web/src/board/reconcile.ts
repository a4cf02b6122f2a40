/**
 * Matches the card elements on the page with the cards of the next view.
 *
 * A piece is one card element. It keeps its key across places, so that moves, and unseen pieces
 * turning up, can be animated.
 */

import type { View } from "../../../src/rules/board.ts";
import { type Card, UNSEEN, isDown } from "../../../src/rules/cards.ts";

export interface Piece {
  readonly key: number;
  /** `UNSEEN` for every face-down card, known or not. */
  readonly card: Card;
  readonly pile: number;
  readonly index: number;
}

/** Return the pieces of the new view, by pile, bottom to top, reusing as many keys as possible. */
export function reconcile(before: readonly Piece[], view: View): Piece[] {
  const lying = new Map(before.map((piece) => [place(piece), piece]));
  const wanted = view.piles.flatMap((cards, pile) =>
    cards.map((card, index) => ({ card: isDown(card) ? UNSEEN : card, pile, index })),
  );
  const found = wanted.map((want) => {
    const piece = lying.get(place(want));
    return piece !== undefined && mayStay(piece.card, want.card) ? piece : undefined;
  });
  const staying = new Set(found);
  const pool = new Pool(before.filter((piece) => !staying.has(piece)));
  let next = before.reduce((most, { key }) => Math.max(most, key), -1) + 1;
  return wanted.map((want, at) => {
    const piece = found[at] ?? pool.take(want.card);
    if (piece !== undefined && staying.has(piece) && piece.card === want.card) return piece;
    return { ...want, key: piece?.key ?? next++ };
  });
}

/** Whether a piece can stay in its place: it is the same card, or is turned up there. */
function mayStay(old: Card, now: Card): boolean {
  return old === now || old === UNSEEN;
}

/** The pieces that left their places; those from the top of their piles are reused first. */
class Pool {
  private readonly pieces: Piece[];

  constructor(pieces: readonly Piece[]) {
    this.pieces = [...pieces].reverse();
  }

  /** Remove and return a piece of this card, else an unseen one, or any if the card is unseen. */
  take(card: Card): Piece | undefined {
    return (
      this.first((piece) => piece.card === card) ??
      this.first((piece) => piece.card === UNSEEN || card === UNSEEN)
    );
  }

  private first(fits: (piece: Piece) => boolean): Piece | undefined {
    const at = this.pieces.findIndex(fits);
    return at < 0 ? undefined : this.pieces.splice(at, 1)[0];
  }
}

function place({ pile, index }: { pile: number; index: number }): string {
  return `${pile}.${index}`;
}
