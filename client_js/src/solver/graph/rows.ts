/** A queue of positions to expand, the most promising first. */

import { RowHeap } from "../beam/rowHeap.ts";
import { countIn } from "./cardSets.ts";
import { type Position, STRIDE } from "./position.ts";

/** The fields stored for a row besides its piles. */
const [NODE, LEFT_LOW, LEFT_HIGH, STATE, HOME_LOW, HOME_HIGH, RECORD] = [
  ...([0, 1, 2, 3, 4, 5, 6] as const),
] as const;

export class Rows {
  size = 0;
  readonly capacity: number;
  readonly heap: RowHeap;
  private readonly width: number;
  private readonly bytes: Int8Array;
  private readonly records: Int32Array;

  constructor({ tables }: Position, capacity: number) {
    this.capacity = capacity;
    this.heap = new RowHeap(capacity);
    this.width = tables.total + 2 * tables.piles + tables.foundations;
    this.bytes = new Int8Array(capacity * this.width);
    this.records = new Int32Array(capacity * RECORD);
  }

  clear(): void {
    this.size = 0;
    this.heap.clear();
  }

  /** Store a position as a new row, and queue it by its points. */
  keep(position: Position, node: number, points: number): void {
    const { bytes, records } = this;
    const { tables, size, hidden, cards, tops } = position;
    const row = this.size++;
    let at = row * this.width;
    for (let pile = 0; pile < tables.piles; pile++) {
      const count = size[pile]!;
      bytes[at++] = count;
      bytes[at++] = hidden[pile]!;
      const first = pile * STRIDE;
      for (let place = 0; place < count; place++) bytes[at++] = cards[first + place]!;
    }
    for (let f = 0; f < tables.foundations; f++) bytes[at++] = tops[f]!;
    const record = row * RECORD;
    records[record + NODE] = node;
    records[record + LEFT_LOW] = position.leftLow;
    records[record + LEFT_HIGH] = position.leftHigh;
    records[record + STATE] = position.state;
    records[record + HOME_LOW] = position.homeLow;
    records[record + HOME_HIGH] = position.homeHigh;
    this.heap.push(row, points);
  }

  /** Restore the first row of the queue into the position, and return its node. */
  takeFirst(position: Position): number {
    const { bytes, records } = this;
    const { tables, hidden, tops } = position;
    const row = this.heap.pop();
    let at = row * this.width;
    let home = tables.total;
    for (let pile = 0; pile < tables.piles; pile++) {
      const count = bytes[at++]!;
      hidden[pile] = bytes[at++]!;
      position.empty(pile);
      for (let place = 0; place < count; place++) position.put(pile, bytes[at++]!);
      home -= count;
    }
    for (let f = 0; f < tables.foundations; f++) tops[f] = bytes[at++]!;
    const record = row * RECORD;
    position.leftLow = records[record + LEFT_LOW]!;
    position.leftHigh = records[record + LEFT_HIGH]!;
    position.state = records[record + STATE]!;
    position.homeLow = records[record + HOME_LOW]!;
    position.homeHigh = records[record + HOME_HIGH]!;
    position.home = home - countIn(position.leftLow) - countIn(position.leftHigh);
    position.played = 0;
    position.findNext();
    return records[record + NODE]!;
  }
}
