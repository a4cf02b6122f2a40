/** The evaluation of positions, in points: more points are more promising. */

import type { Board } from "../../rules/board.ts";
import { DOWN } from "../../rules/cards.ts";
import { phaseOf } from "./digests.ts";
import { LANES, digestOfPile, mixed } from "./hashes.ts";
import { NO_WEIGHTS, type Plan, SCALE, type Weights, scaled } from "./plans.ts";
import { RUN, type Rows } from "./rows.ts";
import { NONE, RANKS, type Tables } from "./tables.ts";

/** The upper limit of lateness, in deals. */
const SPAN = 30 * SCALE;
/** More cards than any line has. */
const MANY = 99;
/** Later than any time. */
const NEVER = 1 << 30;

const PLACE_FACTOR = 0x165667b1;
const WASTE_SALT = 0x2a6c8e10;

/** The size of the pile score cache, a power of 2. */
const CACHED = 1 << 15;

export class Evaluation {
  /** For each line, the number of started foundations, and the most and fewest cards on one. */
  private readonly started: Uint8Array;
  private readonly most: Uint8Array;
  readonly fewest: Uint8Array;

  private readonly tables: Tables;
  private readonly rows: Rows;
  private weights: Weights = NO_WEIGHTS;
  private delays: readonly number[] = [];
  /** The initial number of cards in the stock, and of deals to exhaust it. */
  private stock = 0;
  private deals = 0;
  /** For each kind, the deal that brings its first card (-1 if it is out), and its last. */
  private readonly firstDraw: Int8Array;
  private readonly lastDraw: Int8Array;
  /** For each kind, when its cards are needed, in points: low is early. */
  private readonly times: Int32Array;
  /** The phase of the computed `times`. */
  private readonly timesOf = new Int32Array(LANES);
  private hasTimes = false;
  /** For each line, the lowest turn among the cards of a pile so far. */
  private readonly lowest: Uint8Array;
  /** Cached points of piles, and their hashes; lane 0 of a hash is odd. */
  private readonly cached = new Int32Array(CACHED);
  private readonly cachedOf = new Int32Array(LANES * CACHED);

  constructor(tables: Tables, rows: Rows) {
    const { kinds, lines } = tables;
    this.tables = tables;
    this.rows = rows;
    this.started = new Uint8Array(lines);
    this.most = new Uint8Array(lines);
    this.fewest = new Uint8Array(lines);
    this.firstDraw = new Int8Array(kinds);
    this.lastDraw = new Int8Array(kinds);
    this.times = new Int32Array(kinds);
    this.lowest = new Uint8Array(lines);
  }

  /** Prepare to evaluate positions after a board, with another plan. */
  begin(board: Board, { weights, delays }: Plan): void {
    const { kind, kinds, columns, copies, stockToRow } = this.tables;
    const cards = board.piles[board.ruleset.stock] ?? [];
    const dealOf = (at: number) => Math.floor(at / (stockToRow ? columns : 1)) + 1;
    const draws = Array.from({ length: kinds }, (): number[] => []);
    cards.toReversed().forEach((card, at) => draws[kind[card & ~DOWN]!]!.push(dealOf(at)));
    draws.forEach((each, at) => {
      this.firstDraw[at] = each.length === copies[at] ? (each[0] ?? -1) : -1;
      this.lastDraw[at] = each.at(-1) ?? -1;
    });
    this.stock = cards.length;
    this.deals = dealOf(cards.length - 1);
    this.weights = weights;
    this.delays = delays;
    this.hasTimes = false;
    this.cachedOf.fill(0);
  }

  /** Set the phase; a new one invalidates all points of a row. */
  findPhase(row: number): void {
    const { words, stride, phase, changed } = this.rows;
    let differs = false;
    for (let lane = 0; lane < LANES; lane++) {
      const at = row * stride + phase + lane;
      const made = Math.imul(this.dealsMade(row), PLACE_FACTOR);
      const found = mixed(phaseOf(this.rows, row, lane) + made);
      differs ||= found !== words[at];
      words[at] = found;
    }
    if (differs) changed.fill(1);
  }

  /** Compute the points of the changed piles and of the row; return the number of cards home. */
  evaluate(row: number): number {
    const { words, bytes, stride, sizes, changed, points, key } = this.rows;
    const { piles, total, foundations, hasRunGroups, takesRuns, group } = this.tables;
    const base = row * 4 * stride;
    let left = bytes[base + sizes]!;
    let sum = 0;
    for (let pile = 1; pile < piles; pile++) {
      const at = row * stride + points + pile;
      if (changed[pile] === 1) words[at] = this.pointsOf(row, pile, left);
      sum += words[at]!;
      left += bytes[base + sizes + pile]!;
    }
    let runs = 0;
    if (hasRunGroups) {
      const tops = base + this.rows.tops;
      for (let f = 0; f < foundations; f++) {
        if (takesRuns[group[f]!] === 1 && bytes[tops + f] !== NONE) runs += 1;
      }
    }
    const home = total - left;
    const { home: forCard, runHome } = this.weights;
    words[row * stride + key] = sum + forCard * (home - RUN * runs) + runHome * runs;
    return home;
  }

  /** Measure the progress of each line's foundations for single cards. */
  countFoundations(row: number): void {
    const { started, most, fewest } = this;
    const { foundations, takesRuns, group, line, turn, slots } = this.tables;
    const tops = row * 4 * this.rows.stride + this.rows.tops;
    started.fill(0);
    most.fill(0);
    fewest.fill(MANY);
    for (let f = 0; f < foundations; f++) {
      const top = this.rows.bytes[tops + f]!;
      if (top === NONE || takesRuns[group[f]!] === 1) continue;
      const at = line[top]!;
      const size = turn[top]! + 1;
      started[at]! += 1;
      most[at] = Math.max(most[at]!, size);
      fewest[at] = Math.min(fewest[at]!, size);
    }
    for (let at = 0; at < fewest.length; at++) {
      if (started[at]! < slots[at]!) fewest[at] = 0;
    }
  }

  /**
   * Compute when the cards of each kind are needed.
   *
   * Cards are needed in the order of their line, and not before the stock has brought the cards
   * that precede them: the first copy of each for the first foundation, the last for the last. The
   * beam's delay is added to that.
   */
  private findTimes(row: number): void {
    const { times, firstDraw, lastDraw, delays } = this;
    const { kinds, lines, turn, byLine, timed } = this.tables;
    const { firstCopy, time: forTime, turn: forTurn } = this.weights;
    if (!timed) {
      for (let kind = 0; kind < kinds; kind++) times[kind] = turn[kind]! * forTurn;
      return;
    }
    this.countFoundations(row);
    const drawn = this.dealsMade(row);
    for (let line = 0; line < lines; line++) {
      let first = drawn;
      let last = drawn;
      const started = this.most[line]!;
      for (let nth = this.fewest[line]!; nth < RANKS; nth++) {
        const kind = byLine[line * RANKS + nth]!;
        if (kind === NONE) continue;
        last = Math.max(last, lastDraw[kind]!);
        let time = last * SCALE;
        if (nth >= started) {
          first = Math.max(first, firstDraw[kind]!);
          last = Math.max(last, first);
          time = first * firstCopy + last * (SCALE - firstCopy);
        }
        times[kind] = scaled(time, forTime) + nth * forTurn + delays[kind]!;
      }
    }
  }

  /** Return the number of deals up to a position; all of them once the waste was turned over. */
  private dealsMade(row: number): number {
    const { bytes, stride, sizes, redeals } = this.rows;
    const base = row * 4 * stride;
    if (this.stock === 0 || bytes[base + redeals]! > 0) return this.deals;
    return Math.floor(((this.stock - bytes[base + sizes]!) * this.deals) / this.stock);
  }

  /**
   * Return the points of a pile, from the cache if possible.
   *
   * The same pile occurs in many positions. Its points depend on its cards and on the times, which
   * the row's phase identifies.
   *
   * @param before the number of the row's cards before those of the pile.
   */
  private pointsOf(row: number, pile: number, before: number): number {
    const { cached, cachedOf, timesOf } = this;
    const { words, bytes, stride, phase, hidden, cards } = this.rows;
    const { waste } = this.tables;
    const at = row * stride;
    const base = 4 * at;
    const phase0 = words[at + phase]!;
    const phase1 = words[at + phase + 1]!;
    const down = bytes[base + hidden + pile]!;
    const place = pile === waste ? WASTE_SALT : 0;
    const hash0 = digestOfPile(words[at + LANES * pile]! ^ phase0 ^ place, down, 0) | 1;
    const hash1 = digestOfPile(words[at + LANES * pile + 1]! ^ phase1 ^ place, down, 0);
    const entry = (hash0 >>> 1) & (CACHED - 1);
    if (cachedOf[LANES * entry] === hash0 && cachedOf[LANES * entry + 1] === hash1) {
      return cached[entry]!;
    }
    if (!this.hasTimes || timesOf[0] !== phase0 || timesOf[1] !== phase1) {
      this.findTimes(row);
      timesOf[0] = phase0;
      timesOf[1] = phase1;
      this.hasTimes = true;
    }
    const start = base + cards + before;
    const size = bytes[base + this.rows.sizes + pile]!;
    const points =
      pile === waste ? this.pointsOfWaste(start, size) : this.pointsOfColumn(start, size, down);
    cachedOf[LANES * entry] = hash0;
    cachedOf[LANES * entry + 1] = hash1;
    cached[entry] = points;
    return points;
  }

  /** Return the points of a tableau pile of `size` cards, the first `hidden` of them face down. */
  private pointsOfColumn(start: number, size: number, hidden: number): number {
    const { times, lowest } = this;
    const { bytes } = this.rows;
    const { kinds, line, turn, builds, carries, orphan } = this.tables;
    const { space, joined, broken, late, lateLine, lateness, lateJoined } = this.weights;
    const { orphanBase, orphanBuried, base, mixed: forMixed, long } = this.weights;
    if (size === 0) return space;
    lowest.fill(MANY);
    let kind = bytes[start]!;
    let earliest = times[kind]!;
    lowest[line[kind]!] = turn[kind]!;
    let points = base * turn[kind]! - this.weights.hidden * hidden;
    if (orphan[kind] === 1 && hidden === 0) points += orphanBase;
    let run = 0;
    for (let k = 1; k < size; k++) {
      const below = kind;
      kind = bytes[start + k]!;
      const time = times[kind]!;
      const nth = turn[kind]!;
      const at = line[kind]!;
      const isLate = time > earliest;
      const fits = (below + 1) * kinds + kind;
      if (k > hidden && builds[fits] === 1) {
        run = carries[fits] === 1 ? run + 1 : 0;
        points += run > 0 ? joined + long * run : -forMixed;
        if (isLate) points -= lateJoined;
      } else {
        run = 0;
        if (k >= hidden) points -= broken;
        if (isLate) points -= late + scaled(lateness, Math.min(time - earliest, SPAN));
        if (nth > lowest[at]!) points -= lateLine;
        if (orphan[kind] === 1) points -= orphanBuried;
      }
      earliest = Math.min(earliest, time);
      lowest[at] = Math.min(lowest[at]!, nth);
    }
    return points;
  }

  private pointsOfWaste(start: number, size: number): number {
    const { times, lowest } = this;
    const { bytes } = this.rows;
    const { line, turn } = this.tables;
    const { wasteLate, wasteLine, wasteLateness, wasteCard } = this.weights;
    lowest.fill(MANY);
    let earliest = NEVER;
    let points = -wasteCard * size;
    for (let k = start; k < start + size; k++) {
      const kind = bytes[k]!;
      const time = times[kind]!;
      const nth = turn[kind]!;
      const at = line[kind]!;
      if (time > earliest) {
        points -= wasteLate + scaled(wasteLateness, Math.min(time - earliest, SPAN));
      }
      if (nth > lowest[at]!) points -= wasteLine;
      earliest = Math.min(earliest, time);
      lowest[at] = Math.min(lowest[at]!, nth);
    }
    return points;
  }
}
