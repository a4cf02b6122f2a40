/**
 * Positions, each in one contiguous stretch of memory: a row.
 *
 * A row starts with 32-bit `words`, at `row * stride`: the hash of each pile, the points of each
 * pile, and the fields named by `KEY` and others. Then follow `bytes`, at `row * 4 * stride`: for
 * each pile its number of cards and of face-down cards, the top card of each foundation or `NONE`,
 * the number of redeals, and the cards of all piles, pile by pile, each from bottom to top.
 */

import type { Board } from "../../rules/board.ts";
import { DOWN, isDown } from "../../rules/cards.ts";
import { LANES } from "./hashes.ts";
import { NONE, type Tables, countOf, encoded, sourceOf, targetOf } from "./tables.ts";

/** The length of a run that goes to a foundation. */
export const RUN = 13;

/** The most cards in a pile. */
const MOST = 128;

export class Rows {
  readonly tables: Tables;
  size = 0;
  readonly capacity: number;
  readonly words: Int32Array;
  readonly bytes: Int8Array;
  /** The number of words per row. */
  readonly stride: number;
  /** The piles changed by the last moves. */
  readonly changed: Uint8Array;
  /** Whether a run went home automatically in the last move. */
  sent = false;

  // Offsets of a row's other words: its points, the node of its last move, its digest, the phase on
  // which all its piles' points depend, and whether the next deal may follow its last move.
  readonly points: number;
  readonly key: number;
  readonly node: number;
  readonly digest: number;
  readonly phase: number;
  readonly fresh: number;
  // Offsets of its bytes.
  readonly sizes: number;
  readonly hidden: number;
  readonly tops: number;
  readonly redeals: number;
  readonly cards: number;

  /** The cards being moved. */
  private readonly hand = new Int8Array(MOST);

  constructor(tables: Tables, capacity: number) {
    const { piles, foundations, total } = tables;
    this.tables = tables;
    this.capacity = capacity;
    this.points = LANES * piles;
    this.key = this.points + piles;
    this.node = this.key + 1;
    this.digest = this.node + 1;
    this.phase = this.digest + LANES;
    this.fresh = this.phase + LANES;
    this.sizes = 4 * (this.fresh + 1);
    this.hidden = this.sizes + piles;
    this.tops = this.hidden + piles;
    this.redeals = this.tops + foundations;
    this.cards = this.redeals + 1;
    this.stride = Math.ceil((this.cards + total) / 4);
    this.words = new Int32Array(capacity * this.stride);
    this.bytes = new Int8Array(this.words.buffer);
    this.changed = new Uint8Array(piles);
  }

  /** Make a board the only row. */
  begin(board: Board): void {
    const { tables, words, bytes, sizes, hidden, tops, redeals, cards, key } = this;
    const { kind, kinds, piles, foundations, random } = tables;
    words.fill(0, 0, this.stride);
    let at = cards;
    for (let number = 0; number < piles; number++) {
      const pile = tables.pileOf(number);
      const held = pile === null ? [] : (board.piles[pile] ?? []);
      bytes[sizes + number] = held.length;
      bytes[hidden + number] = number === 0 ? 0 : held.filter(isDown).length;
      held.forEach((card, place) => {
        const each = kind[card & ~DOWN]!;
        bytes[at++] = each;
        for (let lane = 0; lane < LANES; lane++) {
          words[LANES * number + lane]! ^= random[LANES * (place * kinds + each) + lane]!;
        }
      });
    }
    for (let foundation = 0; foundation < foundations; foundation++) {
      const top = board.piles[foundation]?.at(-1);
      bytes[tops + foundation] = top === undefined ? NONE : kind[top & ~DOWN]!;
    }
    bytes[redeals] = board.redeals;
    words[key] = 0;
    this.size = 1;
  }

  copy(source: number, target: number): void {
    const { words, stride } = this;
    words.copyWithin(target * stride, source * stride, (source + 1) * stride);
  }

  play(row: number, move: number): void {
    const { tables, bytes } = this;
    const base = row * 4 * this.stride;
    const source = sourceOf(move);
    const target = targetOf(move);
    const { piles, columns, foundations } = tables;
    if (target === piles + foundations) {
      for (let column = 1; column <= columns && bytes[base + this.sizes]! > 0; column++) {
        this.shift(row, encoded(0, column, 1));
      }
      this.sendRuns(row);
      return;
    }
    if (target === 0) {
      this.turnOver(row);
      return;
    }
    this.shift(row, move);
    if (target >= piles) bytes[base + this.tops + target - piles] = this.hand[countOf(move) - 1]!;
    if (source > 0 && source <= columns) this.tidy(row, source);
    this.sendRuns(row);
  }

  /** Return how many of the cards before `end` in `bytes` form a run, at most `most`. */
  runAt(end: number, most: number): number {
    const { bytes } = this;
    const { carries, kinds } = this.tables;
    let run = 1;
    while (run < most && carries[(bytes[end - run - 1]! + 1) * kinds + bytes[end - run]!] === 1) {
      run += 1;
    }
    return run;
  }

  /** Send whole runs home from the ends of tableau piles, where the rules do so automatically. */
  private sendRuns(row: number): void {
    const { bytes } = this;
    const { automatic, columns, piles, foundations, group, heads, kinds } = this.tables;
    this.sent = false;
    if (!automatic) return;
    const base = row * 4 * this.stride;
    const sizes = base + this.sizes;
    const tops = base + this.tops;
    for (let pile = 1; pile <= columns; pile++) {
      if (bytes[sizes + pile]! - bytes[base + this.hidden + pile]! < RUN) continue;
      // Filling an emptied pile may shift cards on either side, so ends are recomputed.
      let end = base + this.cards;
      for (let before = 0; before <= pile; before++) end += bytes[sizes + before]!;
      if (this.runAt(end, RUN) < RUN) continue;
      const head = bytes[end - RUN]!;
      for (let f = 0; f < foundations; f++) {
        if (bytes[tops + f] !== NONE || heads[group[f]! * kinds + head] !== 1) continue;
        bytes[tops + f] = bytes[end - 1]!;
        this.shift(row, encoded(pile, piles + f, RUN));
        this.tidy(row, pile);
        this.sent = true;
        break;
      }
    }
  }

  /** Move cards from pile to pile, or off all piles if the target is a foundation. */
  private shift(row: number, move: number): void {
    const { bytes, hand, changed } = this;
    const { piles } = this.tables;
    const source = sourceOf(move);
    const target = targetOf(move);
    const count = countOf(move);
    const base = row * 4 * this.stride;
    const sizes = base + this.sizes;
    let end = base + this.cards;
    let sourceEnd = end;
    let targetEnd = end;
    for (let pile = 0; pile < piles; pile++) {
      end += bytes[sizes + pile]!;
      if (pile === source) sourceEnd = end;
      if (pile === target) targetEnd = end;
    }
    const first = sourceEnd - count;
    const left = bytes[sizes + source]! - count;
    for (let k = 0; k < count; k++) hand[k] = bytes[first + k]!;
    this.hash(row, source, left, count);
    bytes[sizes + source] = left;
    changed[source] = 1;
    if (target >= piles) {
      for (let k = sourceEnd; k < end; k++) bytes[k - count] = bytes[k]!;
      return;
    }
    const place = bytes[sizes + target]!;
    this.hash(row, target, place, count);
    bytes[sizes + target] = place + count;
    changed[target] = 1;
    let to = targetEnd;
    if (source < target) {
      for (let k = sourceEnd; k < targetEnd; k++) bytes[k - count] = bytes[k]!;
      to -= count;
    } else {
      for (let k = first - 1; k >= targetEnd; k--) bytes[k + count] = bytes[k]!;
    }
    for (let k = 0; k < count; k++) bytes[to + k] = hand[k]!;
  }

  /** Add the moved cards to a pile's hash, or remove them, at places from `place` on. */
  private hash(row: number, pile: number, place: number, count: number): void {
    const { words, hand } = this;
    const { kinds, random } = this.tables;
    const at = row * this.stride + LANES * pile;
    for (let k = 0; k < count; k++) {
      const number = LANES * ((place + k) * kinds + hand[k]!);
      words[at]! ^= random[number]!;
      words[at + 1]! ^= random[number + 1]!;
    }
  }

  /** Turn the waste over to form the stock again. */
  private turnOver(row: number): void {
    const { words, bytes, hand, tables } = this;
    const { kinds, random, waste } = tables;
    const base = row * 4 * this.stride;
    const size = bytes[base + this.sizes + waste]!;
    this.shift(row, encoded(waste, 0, size));
    let lane0 = 0;
    let lane1 = 0;
    for (let k = 0; k < size; k++) {
      const card = hand[size - 1 - k]!;
      bytes[base + this.cards + k] = card;
      lane0 ^= random[LANES * (k * kinds + card)]!;
      lane1 ^= random[LANES * (k * kinds + card) + 1]!;
    }
    words[row * this.stride] = lane0;
    words[row * this.stride + 1] = lane1;
    bytes[base + this.redeals]! += 1;
  }

  /** Turn up the last card of a tableau pile after a move from it, or fill it if empty. */
  private tidy(row: number, pile: number): void {
    const { bytes } = this;
    const base = row * 4 * this.stride;
    const size = bytes[base + this.sizes + pile]!;
    const hidden = base + this.hidden + pile;
    if (size > 0) {
      if (bytes[hidden]! >= size) {
        bytes[hidden] = size - 1;
        this.changed[pile] = 1;
      }
      return;
    }
    for (const place of this.tables.fill) {
      if (bytes[base + this.sizes + place]! > 0) {
        this.shift(row, encoded(place, pile, 1));
        return;
      }
    }
  }

  /** Whether the order of tableau piles matters, because rows may still be dealt to them. */
  isOrdered(row: number): boolean {
    const { bytes, sizes, redeals, tables } = this;
    const base = row * 4 * this.stride;
    const toCome = bytes[base + sizes]! > 0 || bytes[base + redeals]! < tables.redeals;
    return tables.stockToRow && toCome;
  }

  /** Whether a row may be dealt: each tableau pile has cards, if required and possible. */
  mayDealRow(row: number): boolean {
    const { columns, rowsNeedCards } = this.tables;
    if (!rowsNeedCards) return true;
    const first = row * 4 * this.stride + this.sizes + 1;
    const sizes = this.bytes.subarray(first, first + columns);
    return !sizes.includes(0) || sizes.reduce((sum, size) => sum + size, 0) < columns;
  }

  /** Whether the stock has cards, but none that can be moved. */
  mustWait(row: number): boolean {
    const left = this.bytes[row * 4 * this.stride + this.sizes]! > 0;
    return this.tables.rowsAlone && left && !this.mayDealRow(row);
  }

  /** Whether the stock has cards, or the waste can be turned over. */
  canDeal(row: number): boolean {
    const { bytes, sizes, redeals, tables } = this;
    const base = row * 4 * this.stride;
    if (bytes[base + sizes]! > 0) return true;
    return bytes[base + redeals]! < tables.redeals && bytes[base + sizes + tables.waste]! > 0;
  }

  takes(row: number, foundation: number, card: number): boolean {
    const { homes, group, kinds } = this.tables;
    const { bytes, stride, tops } = this;
    const top = bytes[row * 4 * stride + tops + foundation]!;
    return homes[(group[foundation]! * (kinds + 1) + top + 1) * kinds + card] === 1;
  }
}
