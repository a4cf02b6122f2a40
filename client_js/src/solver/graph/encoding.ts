/**
 * The moves of a search as numbers.
 *
 * Piles are numbered from 0: tableau piles, cells, reserve piles. After those come the stock and the
 * waste as one, `TALON`, and the foundations from `HOME` on. A move has a source and a target. Of
 * other moves than those from the talon, how many cards, and to what the next move is bound follow;
 * of these, which card is taken, by its place in the deal, how many cards the waste has then, and
 * whether it is turned over before.
 */

/** Stands for the top card of an empty foundation, and for no move, pile or card. */
export const NONE = -1;

/** The stock and the waste, as the source of a move. */
export const TALON = 32;

/** The first foundation, as the source or the target of a move. */
export const HOME = 40;

/** Added to the number of a pile, to which the next move is bound: its top card must go home. */
export const BOUND_HOME = 64;

/** @param bound the pile to which the next move is bound, and 1 more; 0 for none. */
export function encoded(source: number, target: number, count: number, bound = 0): number {
  return source | (target << 6) | (count << 12) | (bound << 18);
}

export function fromTalon(place: number, waste: number, turned: boolean): number {
  return TALON | (place << 12) | (waste << 18) | (Number(turned) << 24);
}

export const to = (target: number): number => target << 6;
export const sourceOf = (move: number): number => move & 63;
export const targetOf = (move: number): number => (move >> 6) & 63;
export const countOf = (move: number): number => (move >> 12) & 63;
export const boundOf = (move: number): number => (sourceOf(move) === TALON ? 0 : move >> 18);
export const placeOf = (move: number): number => (move >> 12) & 63;
export const wasteOf = (move: number): number => (move >> 18) & 63;
export const turnedOf = (move: number): number => move >> 24;

/** The engine's number of a move, by which moves of equal scores are ordered. */
export function numberOf(move: number): number {
  if (sourceOf(move) !== TALON) return move;
  // That of a single card, and beyond 32 bits.
  return ((move & 0xfff) | (1 << 12)) + (move >>> 12) * 2 ** 25;
}
