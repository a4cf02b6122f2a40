/** Rows of positions by descending points; ties go to the lower row. */

/** The bound of row numbers: points and row are combined in one exact number. */
const MAX_ROWS = 1 << 20;
/** Added to points, so that those numbers are positive. */
const BIAS = 1 << 30;

export class RowHeap {
  size = 0;
  private readonly entries: Float64Array;

  constructor(capacity: number) {
    this.entries = new Float64Array(capacity);
  }

  push(row: number, points: number): void {
    const { entries } = this;
    const entry = (points + BIAS) * MAX_ROWS + (MAX_ROWS - 1 - row);
    let at = this.size++;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (entries[above]! >= entry) break;
      entries[at] = entries[above]!;
      at = above;
    }
    entries[at] = entry;
  }

  /** Remove and return the first row of a non-empty heap. */
  pop(): number {
    const { entries } = this;
    const top = entries[0]!;
    const size = --this.size;
    const entry = entries[size]!;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= size) break;
      if (below + 1 < size && entries[below + 1]! > entries[below]!) below += 1;
      if (entries[below]! <= entry) break;
      entries[at] = entries[below]!;
      at = below;
    }
    entries[at] = entry;
    return MAX_ROWS - 1 - (top - Math.floor(top / MAX_ROWS) * MAX_ROWS);
  }

  clear(): void {
    this.size = 0;
  }
}
