/**
 * The seen positions by their digests. In the table, lane 0 is odd in used entries and 0 in free
 * ones.
 */

import { LANES } from "../beam/hashes.ts";

export class Seen {
  size = 0;
  private mask = 0;
  private entries = new Int32Array(0);

  /** Remove all digests, and reserve room for `capacity`, a power of 2. */
  clear(capacity: number): void {
    if (LANES * capacity > this.entries.length) {
      // Release the previous memory first.
      this.entries = new Int32Array(0);
      this.entries = new Int32Array(LANES * capacity);
    } else if (this.size > 0) {
      this.entries.fill(0, 0, LANES * (this.mask + 1));
    }
    this.mask = capacity - 1;
    this.size = 0;
  }

  /** Whether the table is nearly full. */
  get isFull(): boolean {
    return 8 * this.size > 7 * this.mask;
  }

  /** Insert a digest; return whether it was absent. */
  add(lane0: number, lane1: number): boolean {
    const { entries, mask } = this;
    const odd = lane0 | 1;
    let at = (lane0 >>> 1) & mask;
    for (let found = entries[LANES * at]; found !== 0; found = entries[LANES * at]) {
      if (found === odd && entries[LANES * at + 1] === lane1) return false;
      at = (at + 1) & mask;
    }
    entries[LANES * at] = odd;
    entries[LANES * at + 1] = lane1;
    this.size += 1;
    return true;
  }
}
