/**
 * The moves of a search as numbers.
 *
 * Piles are numbered from 0: tableau piles, cells, reserve piles. Then come the stock and the waste
 * as one, `TALON`, and the foundations from `HOME` on. A move has a source and a target. Moves of
 * other piles then have a number of cards, and the binding of the next move. Moves from the talon
 * have the card's place in the deal, the number of cards then in the waste, and whether the waste
 * is turned over before.
 */

/** The top card of an empty foundation, and an absent move, pile or card. */
export const NONE = -1;

/** The stock and the waste, as the source of a move. */
export const TALON = 32;

/** The first foundation, as the source or the target of a move. */
export const HOME = 40;

/** Added to the number of a pile if the next move must send its top card home. */
export const BOUND_HOME = 64;

/** @param bound the pile to which the next move is bound, plus 1; 0 for none. */
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

/** Return the engine's number of a move, which orders moves of equal scores. */
export function numberOf(move: number): number {
  if (sourceOf(move) !== TALON) return move;
  // The engine's number of a single card's move exceeds 32 bits.
  return ((move & 0xfff) | (1 << 12)) + (move >>> 12) * 2 ** 25;
}
