/**
 * Noise added to the scores of moves for a random order. It equals the engine's noise, so that the
 * same positions are searched. The 62-bit numbers are split into parts of 21 bits, whose products
 * are exact.
 */

import type { Random } from "../random.ts";

const BITS = 21;
const PART = 2 ** BITS;
const MASK = PART - 1;
const HIGH_MASK = (1 << 20) - 1;

/** The two lower parts of the factor that mixes bits. */
const FACTOR_LOW = 0xcdd1d;
const FACTOR_MIDDLE = 0x48a7b;

/** The maximum noise; a bit mask. */
const MOST = 1023;

export interface Salt {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

/** Return a random number of 62 bits. */
export function saltFrom(random: Random): Salt {
  const upper = random();
  const lower = random();
  return {
    low: lower & MASK,
    middle: (lower >>> BITS) ^ ((upper & 0xfff) << 9),
    high: upper >>> 12,
  };
}

/** Return the noise of a move, from its score and number combined in a number below 2**51. */
export function noiseOf(key: number, salt: Salt): number {
  const upper = Math.floor(key / (PART / 2));
  let low = 2 * (key - (upper * PART) / 2) + salt.low;
  let middle = (upper & MASK) + salt.middle + (low >>> BITS);
  const high = (Math.floor(upper / PART) + salt.high + (middle >>> BITS)) & HIGH_MASK;
  low &= MASK;
  middle &= MASK;
  // XOR with the number shifted right by 29 bits.
  low ^= (middle >>> 8) | ((high & 0xff) << 13);
  middle ^= high >>> 8;
  const crosswise = (low * FACTOR_MIDDLE + middle * FACTOR_LOW) % PART;
  const product = low * FACTOR_LOW + crosswise * PART;
  return (product ^ Math.floor(product / 2 ** 32)) & MOST;
}
