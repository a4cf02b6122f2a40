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
import { LANES, digestOfPile, mixed } from "./hashes.ts";
import { NONE, type Tables, countOf, encoded, sourceOf, targetOf } from "./tables.ts";

const STOCK_SALT = 0x1f3d5b79;
const WASTE_SALT = 0x2a6c8e10;
const REDEAL_FACTOR = 0x0a0761d7;

/** The length of a run that goes to a foundation. */
export const RUN = 13;

/** The most cards in a pile. */
const MOST = 128;

export class Rows {
  /** The number of rows. */
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

  private readonly tables: Tables;
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

  /** Play a legal move on a row. */
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
    const { words, bytes, hand, changed } = this;
    const { piles, kinds, random } = this.tables;
    const source = sourceOf(move);
    const target = targetOf(move);
    const count = countOf(move);
    const base = row * 4 * this.stride;
    const sizes = base + this.sizes;
    const hashes = row * this.stride;
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
    let at = hashes + LANES * source;
    for (let k = 0; k < count; k++) {
      const card = bytes[first + k]!;
      const number = LANES * ((left + k) * kinds + card);
      hand[k] = card;
      words[at]! ^= random[number]!;
      words[at + 1]! ^= random[number + 1]!;
    }
    bytes[sizes + source] = left;
    changed[source] = 1;
    if (target >= piles) {
      for (let k = sourceEnd; k < end; k++) bytes[k - count] = bytes[k]!;
      return;
    }
    const place = bytes[sizes + target]!;
    at = hashes + LANES * target;
    for (let k = 0; k < count; k++) {
      const number = LANES * ((place + k) * kinds + hand[k]!);
      words[at]! ^= random[number]!;
      words[at + 1]! ^= random[number + 1]!;
    }
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

  /**
   * Return a lane of a row's digest: a sum over its piles.
   *
   * Tableau piles are interchangeable, except while their order matters. Foundations of one group
   * are too: only the cards they take are counted.
   */
  digestOf(row: number, lane: number): number {
    const { words, bytes, tables } = this;
    const { piles, waste } = tables;
    const hashes = row * this.stride + lane;
    const hidden = row * 4 * this.stride + this.hidden;
    const ordered = Number(this.isOrdered(row));
    let total = mixed(words[hashes]! ^ STOCK_SALT);
    total += mixed(words[hashes + LANES * waste]! ^ WASTE_SALT);
    for (let pile = 1; pile < piles - 1; pile++) {
      const hash = words[hashes + LANES * pile]!;
      total = (total + digestOfPile(hash, bytes[hidden + pile]!, pile * ordered)) | 0;
    }
    return (total + this.phaseOf(row, lane)) | 0;
  }

  /** Return a lane of the digest of the foundations and redeals. */
  phaseOf(row: number, lane: number): number {
    const { bytes, tops, redeals } = this;
    const { alike, group, kinds, foundations } = this.tables;
    const base = row * 4 * this.stride;
    let total = Math.imul(bytes[base + redeals]!, REDEAL_FACTOR);
    for (let f = 0; f < foundations; f++) {
      const top = group[f]! * (kinds + 1) + bytes[base + tops + f]! + 1;
      total = (total + alike[LANES * top + lane]!) | 0;
    }
    return total;
  }

  /**
   * Return a lane of the digest after a move from tableau or waste that fills no emptied pile.
   *
   * @param end the end of the source's cards in `bytes`.
   */
  digestAfter(row: number, move: number, end: number, lane: number): number {
    const { words, bytes } = this;
    const { piles, kinds, random, alike, group } = this.tables;
    const source = sourceOf(move);
    const target = targetOf(move);
    const count = countOf(move);
    const base = row * 4 * this.stride;
    const sizes = base + this.sizes;
    const hidden = base + this.hidden;
    const hashes = row * this.stride + lane;
    const ordered = Number(this.isOrdered(row));
    const left = bytes[sizes + source]! - count;
    let mixture = 0;
    for (let k = 0; k < count; k++) {
      const card = bytes[end - count + k]!;
      mixture ^= random[LANES * ((left + k) * kinds + card) + lane]!;
    }
    let total = words[row * this.stride + this.digest + lane]!;
    const before = words[hashes + LANES * source]!;
    if (source === piles - 1) {
      total += mixed(before ^ mixture ^ WASTE_SALT) - mixed(before ^ WASTE_SALT);
    } else {
      const down = bytes[hidden + source]!;
      const after = left > 0 && left <= down ? left - 1 : down;
      total += digestOfPile(before ^ mixture, after, source * ordered);
      total -= digestOfPile(before, down, source * ordered);
    }
    if (target >= piles) {
      const f = target - piles;
      const tops = group[f]! * (kinds + 1) + 1;
      const top = bytes[base + this.tops + f]!;
      total += alike[LANES * (tops + bytes[end - 1]!) + lane]!;
      total -= alike[LANES * (tops + top) + lane]!;
      return total | 0;
    }
    const place = bytes[sizes + target]!;
    mixture = 0;
    for (let k = 0; k < count; k++) {
      const card = bytes[end - count + k]!;
      mixture ^= random[LANES * ((place + k) * kinds + card) + lane]!;
    }
    const onto = words[hashes + LANES * target]!;
    const down = bytes[hidden + target]!;
    total += digestOfPile(onto ^ mixture, down, target * ordered);
    total -= digestOfPile(onto, down, target * ordered);
    return total | 0;
  }

  /** Return a lane of the diversifying hash: of face-down cards, foundations and the waste. */
  signatureOf(row: number, lane: number): number {
    const { piles, waste } = this.tables;
    const hidden = row * 4 * this.stride + this.hidden;
    let total = lane;
    for (let pile = 1; pile < piles - 1; pile++) {
      total = mixed(Math.imul(total, 31) + this.bytes[hidden + pile]!);
    }
    total += mixed(this.words[row * this.stride + LANES * waste + lane]!);
    return mixed((total + this.phaseOf(row, lane)) | 0);
  }

  takes(row: number, foundation: number, card: number): boolean {
    const { homes, group, kinds } = this.tables;
    const { bytes, stride, tops } = this;
    const top = bytes[row * 4 * stride + tops + foundation]!;
    return homes[(group[foundation]! * (kinds + 1) + top + 1) * kinds + card] === 1;
  }
}
