/**
 * Hashes of positions, of two numbers of 32 bits each: two positions that differ share one about
 * once in 2**63 times, so that no decision depends on their values.
 *
 * The numbers are called lanes. Lane 0 and lane 1 of something stand side by side, lane 0 first.
 */

import { randomFrom } from "../random.ts";

export const LANES = 2;

const HIDDEN_FACTOR = 0x1b873593;
const PLACE_FACTOR = 0x165667b1;

/** A number of 32 bits with its bits mixed: the end of MurmurHash3. No two have the same one. */
export function mixed(number: number): number {
  let mixture = number ^ (number >>> 16);
  mixture = Math.imul(mixture, 0x85ebca6b);
  mixture ^= mixture >>> 13;
  mixture = Math.imul(mixture, 0xc2b2ae35);
  return mixture ^ (mixture >>> 16);
}

/**
 * The part of a tableau pile in a lane of a digest.
 *
 * @param pileHash that lane of the hash of its cards.
 * @param hidden how many of them lie face down.
 * @param place the number of the pile where their order matters, else 0.
 */
export function digestOfPile(pileHash: number, hidden: number, place: number): number {
  return mixed(pileHash ^ Math.imul(hidden, HIDDEN_FACTOR) ^ Math.imul(place, PLACE_FACTOR));
}

/**
 * Random numbers of 32 bits, always the same for a seed. They are mixed since those of the generator
 * are linear in the first one: where some cancel out in one lane, they would in the other.
 */
export function randomNumbers(count: number, seed: number): Int32Array {
  const random = randomFrom(seed);
  return Int32Array.from({ length: count }, () => mixed(random()));
}

/** A hash table of hashes, which is emptied in a time that depends only on how many it has. */
export class HashTable {
  /** How many different hashes it has. */
  size = 0;
  /** How many it has room for. */
  readonly capacity: number;
  /** Lane 0 is odd in an entry that is used, and 0 in others. */
  private readonly entries: Int32Array;
  private readonly used: Int32Array;

  /** @param capacity a power of 2. */
  constructor(capacity: number) {
    this.capacity = capacity;
    this.entries = new Int32Array(LANES * capacity);
    this.used = new Int32Array(capacity);
  }

  /** The number of the entry of a hash, which is entered if it is not there: `size` tells. */
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

  /** Enter a hash, and return whether it was not there. */
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
