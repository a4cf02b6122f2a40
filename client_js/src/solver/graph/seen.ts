/** The positions that were seen, by their digests, whose first lane is odd or 0 in the table. */

import { LANES } from "../beam/hashes.ts";

export class Seen {
  /** How many there are. */
  size = 0;
  private mask = 0;
  private entries = new Int32Array(0);

  /** Forget all, and have room for other ones: the capacity is a power of 2. */
  clear(capacity: number): void {
    if (LANES * capacity > this.entries.length) {
      // The memory of the one before is free for this one.
      this.entries = new Int32Array(0);
      this.entries = new Int32Array(LANES * capacity);
    } else if (this.size > 0) {
      this.entries.fill(0, 0, LANES * (this.mask + 1));
    }
    this.mask = capacity - 1;
    this.size = 0;
  }

  /** Whether there is hardly room for more. */
  get isFull(): boolean {
    return 8 * this.size > 7 * this.mask;
  }

  /** Enter a digest; return whether it was not there. */
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
