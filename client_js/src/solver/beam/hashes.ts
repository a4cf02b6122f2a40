/**
 * Hashes of positions, made of two 32-bit numbers. Two different positions collide with a
 * probability of about 2**-63, so results do not depend on the hash values.
 *
 * The numbers are called lanes, stored side by side with lane 0 first.
 */

import { randomFrom } from "../random.ts";

export const LANES = 2;

const HIDDEN_FACTOR = 0x1b873593;
const PLACE_FACTOR = 0x165667b1;

/** Mix the bits of a 32-bit number bijectively: MurmurHash3's finalizer. */
export function mixed(number: number): number {
  let mixture = number ^ (number >>> 16);
  mixture = Math.imul(mixture, 0x85ebca6b);
  mixture ^= mixture >>> 13;
  mixture = Math.imul(mixture, 0xc2b2ae35);
  return mixture ^ (mixture >>> 16);
}

/**
 * Return a tableau pile's contribution to a lane of a digest.
 *
 * @param pileHash that lane of the hash of its cards.
 * @param hidden the number of face-down cards.
 * @param place the pile's number where the order of piles matters, else 0.
 */
export function digestOfPile(pileHash: number, hidden: number, place: number): number {
  return mixed(pileHash ^ Math.imul(hidden, HIDDEN_FACTOR) ^ Math.imul(place, PLACE_FACTOR));
}

/**
 * Return 32-bit random numbers, reproducible from a seed. They are mixed because the generator's
 * outputs are linear in the first one: terms that cancel in one lane would cancel in the other.
 */
export function randomNumbers(count: number, seed: number): Int32Array {
  const random = randomFrom(seed);
  return Int32Array.from({ length: count }, () => mixed(random()));
}

/** A hash table of hashes, cleared in time proportional to its size. */
export class HashTable {
  /** The number of distinct hashes. */
  size = 0;
  readonly capacity: number;
  /** Lane 0 is odd in used entries and 0 in free ones. */
  private readonly entries: Int32Array;
  private readonly used: Int32Array;

  /** @param capacity a power of 2. */
  constructor(capacity: number) {
    this.capacity = capacity;
    this.entries = new Int32Array(LANES * capacity);
    this.used = new Int32Array(capacity);
  }

  /** Return the index of a hash's entry, inserting it if absent (`size` then grows). */
  entryOf(lane0: number, lane1: number): number {
    const { entries } = this;
    const mask = this.capacity - 1;
    const odd = lane0 | 1;
    let at = (lane0 >>> 1) & mask;
    for (let found = entries[2 * at]; found !== 0; found = entries[2 * at]) {
      if (found === odd && entries[2 * at + 1] === lane1) return at;
      at = (at + 1) & mask;
    }
    entries[2 * at] = odd;
    entries[2 * at + 1] = lane1;
    this.used[this.size++] = at;
    return at;
  }

  /** Insert a hash, and return whether it was absent. */
  add(lane0: number, lane1: number): boolean {
    const before = this.size;
    this.entryOf(lane0, lane1);
    return this.size > before;
  }

  clear(): void {
    for (let nth = 0; nth < this.size; nth++) this.entries[2 * this.used[nth]!] = 0;
    this.size = 0;
  }
}
