/** Move generation. The order in which moves are tried decides which lines a search finds. */

import { RUN, type Rows } from "./rows.ts";
import { NONE, type Tables, encoded } from "./tables.ts";

/**
 * Called for each move of a row, with the end of the source's cards in `bytes`. The end is unused
 * for moves of the stock.
 */
export type Offer = (row: number, move: number, end: number) => void;

export class MoveGenerator {
  /** Whether to move whole piles to empty ones while rows are to come, which rarely helps. */
  whole = false;
  /** Whether to move runs via empty piles card by card. */
  single = false;

  private readonly tables: Tables;
  private readonly rows: Rows;
  private readonly offer: Offer;

  constructor(tables: Tables, rows: Rows, offer: Offer) {
    this.tables = tables;
    this.rows = rows;
    this.offer = offer;
  }

  /** Offer all successor positions, except those of the stock and of the redeal. */
  expand(row: number): void {
    const { bytes, stride, cards, sizes, hidden } = this.rows;
    const { columns, waste, playsHome, automatic, columnSpreads, wasteSpreads } = this.tables;
    const base = row * 4 * stride;
    let spaces = 0;
    let space = 0;
    for (let pile = columns; pile > 0; pile--) {
      if (bytes[base + sizes + pile] !== 0) continue;
      spaces += 1;
      space = pile;
    }
    let end = base + cards + bytes[base + sizes]!;
    for (let pile = 1; pile <= columns; pile++) {
      const size = bytes[base + sizes + pile]!;
      end += size;
      if (size === 0) continue;
      const open = size - bytes[base + hidden + pile]!;
      const run = this.rows.runAt(end, open);
      if (playsHome[pile] === 1) {
        this.offerHome(row, pile, bytes[end - 1]!, end);
        if (run >= RUN && !automatic) this.offerRun(row, pile, end);
      }
      if (columnSpreads) this.offerRuns(row, pile, end, run, spaces, space);
    }
    const size = bytes[base + sizes + waste]!;
    if (size === 0) return;
    end += size;
    const card = bytes[end - 1]!;
    if (playsHome[waste] === 1) this.offerHome(row, waste, card, end);
    if (wasteSpreads) this.offerSpread(row, waste, card, end);
  }

  /** Offer the moves of a whole run to foundations, one per group. */
  private offerRun(row: number, pile: number, end: number): void {
    const { bytes, stride, tops } = this.rows;
    const { foundations, group, heads, kinds, piles } = this.tables;
    const head = bytes[end - RUN]!;
    let tried = NONE;
    for (let f = 0; f < foundations; f++) {
      const each = group[f]!;
      if (bytes[row * 4 * stride + tops + f] !== NONE || each === tried) continue;
      if (heads[each * kinds + head] !== 1) continue;
      this.offer(row, encoded(pile, piles + f, RUN), end);
      tried = each;
    }
  }

  /**
   * Offer the moves of a tableau pile's run, whole or in part, to other tableau piles.
   *
   * @param run its length.
   * @param spaces the number of empty tableau piles, of which `space` is the first.
   */
  private offerRuns(
    row: number,
    pile: number,
    end: number,
    run: number,
    spaces: number,
    space: number,
  ): void {
    const { bytes, stride, cards, sizes } = this.rows;
    const { columns, builds, kinds, runs, fill } = this.tables;
    const base = row * 4 * stride;
    const size = bytes[base + sizes + pile]!;
    const ordered = this.rows.isOrdered(row);
    let most = run;
    const carried = this.single ? 1 : 1 << spaces;
    if (runs === "card") most = 1;
    else if (runs !== "run") most = Math.min(run, carried);
    let columnEnd = base + cards + bytes[base + sizes]!;
    for (let column = 1; column <= columns; column++) {
      const height = bytes[base + sizes + column]!;
      columnEnd += height;
      if (column === pile) continue;
      let longest = most;
      let at = 0;
      if (height > 0) {
        at = (bytes[columnEnd - 1]! + 1) * kinds;
      } else {
        // Without rows to come, empty piles are equivalent, and moving a whole pile to one is a
        // no-op.
        if (!ordered && column !== space) continue;
        if (runs === "run-by-spaces") longest = 1;
        // An empty target pile is not available as temporary space.
        if (runs === "run-by-places") longest = Math.min(most, Math.max(1, carried >> 1));
      }
      for (let count = 1; count <= longest; count++) {
        const moot = height === 0 && count === size && !(ordered && this.whole);
        if (moot && fill.length === 0) continue;
        if (builds[at + bytes[end - count]!] !== 1) continue;
        this.offer(row, encoded(pile, column, count), end);
      }
    }
  }

  /**
   * Offer the moves of a top card to foundations that take it, one per distinct top.
   *
   * Foundations of one group with equal tops are interchangeable.
   */
  private offerHome(row: number, source: number, card: number, end: number): void {
    const { foundations, piles } = this.tables;
    for (let f = 0; f < foundations; f++) {
      if (this.rows.takes(row, f, card) && !this.hasTwin(row, f)) {
        this.offer(row, encoded(source, piles + f, 1), end);
      }
    }
  }

  /** Whether an earlier foundation has the same group and the same top. */
  private hasTwin(row: number, foundation: number): boolean {
    const { group } = this.tables;
    const { bytes, stride } = this.rows;
    const tops = row * 4 * stride + this.rows.tops;
    for (let other = 0; other < foundation; other++) {
      if (group[other] !== group[foundation]) continue;
      if (bytes[tops + other] === bytes[tops + foundation]) return true;
    }
    return false;
  }

  /** Offer the moves of the top card of stock or waste to tableau piles. */
  private offerSpread(row: number, source: number, card: number, end: number): void {
    const { bytes, stride, sizes, cards } = this.rows;
    const { columns, builds, kinds } = this.tables;
    const base = row * 4 * stride;
    const ordered = this.rows.isOrdered(row);
    let topAt = base + cards + bytes[base + sizes]!;
    let tried = false;
    for (let column = 1; column <= columns; column++) {
      const size = bytes[base + sizes + column]!;
      topAt += size;
      let at = card;
      if (size > 0) {
        at += (bytes[topAt - 1]! + 1) * kinds;
      } else {
        if (tried && !ordered) continue;
        tried = true;
      }
      if (builds[at] === 1) this.offer(row, encoded(source, column, 1), end);
    }
  }

  /** Offer the successors by moves of the stock, or by turning the waste over. */
  deal(row: number): void {
    const { bytes, stride, cards, sizes, tops } = this.rows;
    const { tables } = this;
    const { waste, piles, foundations, stockHome } = tables;
    const base = row * 4 * stride;
    const size = bytes[base + sizes]!;
    if (size === 0) {
      if (this.rows.canDeal(row)) this.offer(row, encoded(waste, 0, 1), base);
      return;
    }
    const card = bytes[base + cards + size - 1]!;
    if (tables.stockToWaste) this.offer(row, encoded(0, waste, 1), base);
    if (tables.stockToRow && this.rows.mayDealRow(row))
      this.offer(row, encoded(0, piles + foundations, 1), base);
    if (tables.stockSpreads) this.offerSpread(row, 0, card, base);
    if (stockHome === "fitting") this.offerHome(row, 0, card, base);
    for (let f = 0; f < foundations; f++) {
      const starts =
        stockHome === "first" && bytes[base + tops + f] === NONE && this.rows.takes(row, f, card);
      if (starts || stockHome === "any") this.offer(row, encoded(0, piles + f, 1), base);
    }
  }
}
