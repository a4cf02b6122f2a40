/**
 * The positions seen, each as two 32-bit integers. Only their places in the table are hashes, so no
 * two positions are taken for each other.
 */

import { mixed } from "../beam/hashes.ts";

/** Set in the second integer of used entries. */
const USED = 1 << 31;

const FACTOR = 0x9e3779b1;

export class Seen {
  size = 0;
  private readonly mask: number;
  private readonly entries: Int32Array;

  /** @param capacity a power of 2. */
  constructor(capacity: number) {
    this.mask = capacity - 1;
    this.entries = new Int32Array(2 * capacity);
  }

  /** Whether the table is nearly full. */
  get isFull(): boolean {
    return 8 * this.size > 7 * this.mask;
  }

  /**
   * Insert a position; return whether it was absent.
   *
   * @param high its second integer, of 31 bits.
   */
  add(low: number, high: number): boolean {
    const { entries, mask } = this;
    const used = high | USED;
    let at = mixed(low ^ Math.imul(high, FACTOR)) & mask;
    for (let found = entries[2 * at + 1]; found !== 0; found = entries[2 * at + 1]) {
      if (found === used && entries[2 * at] === low) return false;
      at = (at + 1) & mask;
    }
    entries[2 * at] = low;
    entries[2 * at + 1] = used;
    this.size += 1;
    return true;
  }
}
