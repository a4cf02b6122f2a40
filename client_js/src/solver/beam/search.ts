/**
 * A staged beam search, the twin of `engine/solver/beam`: it generates the same positions in the
 * same order.
 *
 * A stage lies between two deals from the stock. Within it, positions are expanded best first by
 * all other moves. Then the stock is dealt to the positions reached, and the best ones are kept, up
 * to the beam's width.
 */

import type { Board } from "../../rules/board.ts";
import { digestAfter, digestOf, signatureOf } from "./digests.ts";
import { Evaluation } from "./evaluation.ts";
import { GoingHome } from "./goingHome.ts";
import { HashTable, mixed } from "./hashes.ts";
import { MoveGenerator } from "./moveGenerator.ts";
import { MoveTree, ROOT } from "./moveTree.ts";
import { NO_WEIGHTS, type Plan, SCALE, wholePlan } from "./plans.ts";
import { RowHeap } from "./rowHeap.ts";
import { Rows } from "./rows.ts";
import { type Tables, isDeal, sourceOf, targetOf } from "./tables.ts";

/** Nodes of the move tree per row. */
const NODES = 4;
/** The most successors of one position by moves of one pile. */
const MOVES = 64;

export class Search {
  readonly tables: Tables;
  readonly capacity: number;
  /** The number of generated positions. */
  steps = 0;
  /** The most cards home in this beam. */
  home = 0;
  /** Whether positions were dropped for lack of width, memory or budget. */
  cut = false;

  private readonly rows: Rows;
  private readonly evaluation: Evaluation;
  private readonly generator: MoveGenerator;
  private readonly goingHome: GoingHome;
  private readonly heap: RowHeap;
  private readonly seen: HashTable;
  private readonly signatures: HashTable;
  /** The number of kept rows per signature. */
  private readonly alike: Int32Array;
  private readonly tree: MoveTree;
  /** A list of rows, in no particular order. */
  private readonly listed: Int32Array;
  private readonly kept: Uint8Array;
  private plan: Plan = wholePlan(NO_WEIGHTS, false);
  private budget = 0;
  /** The node of the position with the most cards home. */
  private best = ROOT;

  /** @param capacity a power of 2. */
  constructor(tables: Tables, capacity: number) {
    this.tables = tables;
    this.capacity = capacity;
    this.rows = new Rows(tables, capacity);
    this.evaluation = new Evaluation(tables, this.rows);
    this.generator = new MoveGenerator(tables, this.rows, this.offer);
    this.goingHome = new GoingHome(tables, this.rows, this.evaluation);
    this.heap = new RowHeap(capacity);
    this.seen = new HashTable(2 * capacity);
    this.signatures = new HashTable(2 * capacity);
    this.alike = new Int32Array(2 * capacity);
    this.tree = new MoveTree(NODES * capacity);
    this.listed = new Int32Array(capacity);
    this.kept = new Uint8Array(capacity);
  }

  /**
   * Search from a board until it is won, nothing is left, or `steps` has reached the budget.
   *
   * @returns the encoded moves that bring the most cards home; `home` is their number.
   */
  run(board: Board, plan: Plan, budget: number): readonly number[] {
    this.begin(board, plan, budget);
    while (this.rows.size > 0) {
      const dealing = this.explore();
      if (this.isWon() || !dealing) break;
      if (this.steps >= this.budget) {
        this.cut = true;
        break;
      }
      const first = this.rows.size;
      this.dealAll();
      if (this.isWon()) break;
      this.select(first);
      this.dropNodes();
    }
    this.seen.clear();
    return this.tree.lineTo(this.best);
  }

  private begin(board: Board, plan: Plan, budget: number): void {
    const { rows, evaluation } = this;
    this.plan = plan;
    this.generator.whole = plan.whole;
    this.generator.single = plan.single;
    this.budget = budget;
    this.cut = false;
    this.best = ROOT;
    this.heap.clear();
    this.tree.clear();
    rows.begin(board);
    rows.words[rows.node] = ROOT;
    rows.words[rows.fresh] = 1;
    rows.changed.fill(1);
    evaluation.begin(board, plan);
    if (this.tables.timed) evaluation.findPhase(0);
    this.home = evaluation.evaluate(0);
    for (let lane = 0; lane < 2; lane++) rows.words[rows.digest + lane] = digestOf(rows, 0, lane);
  }

  private isWon(): boolean {
    return this.home === this.tables.total;
  }

  // ---- The beam ----

  /**
   * Expand the best rows and their successors, without the stock's moves, within the plan's effort.
   *
   * @returns whether some row has moves of the stock.
   */
  private explore(): boolean {
    const { rows, heap, seen, plan } = this;
    const { words, stride, digest, key } = rows;
    heap.clear();
    seen.clear();
    let dealing = false;
    for (let row = 0; row < rows.size; row++) {
      const at = row * stride;
      if (!this.isNew(words[at + digest]!, words[at + digest + 1]!)) continue;
      heap.push(row, words[at + key]!);
      dealing ||= rows.canDeal(row);
    }
    const effort = dealing ? plan.effort : plan.last;
    const limit = Math.floor((plan.width * effort) / SCALE);
    for (let done = 0; heap.size > 0 && done < limit; done++) {
      if (this.steps >= this.budget || !this.hasRoom() || this.isWon()) break;
      this.generator.expand(heap.pop());
    }
    if (heap.size > 0) this.cut = true;
    return dealing;
  }

  /**
   * Generate the positions after the next deal, best rows first.
   *
   * If the stock's cards go to the waste and nothing else takes them, a deal commutes with all
   * moves that do not take the waste's top card. So it suffices to deal if the last move took it,
   * or if no move was made since the last deal: the others can follow the deal.
   */
  private dealAll(): void {
    const { rows, heap, listed, plan } = this;
    const { words, stride, key, fresh } = rows;
    heap.clear();
    for (let row = 0; row < rows.size; row++) {
      const at = row * stride;
      if (this.tables.defers && words[at + fresh] === 0) continue;
      if (!rows.mustWait(row)) heap.push(row, words[at + key]!);
    }
    let number = heap.size;
    if (number > plan.width * plan.dealt) {
      number = plan.width * plan.dealt;
      this.cut = true;
    }
    for (let nth = 0; nth < number; nth++) listed[nth] = heap.pop();
    for (let nth = 0; nth < number; nth++) {
      if (!this.hasRoom() || this.isWon()) {
        this.cut = true;
        break;
      }
      this.generator.deal(listed[nth]!);
    }
  }

  /**
   * Keep the best rows from `first` on, up to the beam's width, and move them to the front.
   *
   * Positions with the same signature may take only a share of the width. If that leaves room, the
   * best of the others fill it.
   */
  private select(first: number): void {
    const { rows, heap, signatures, alike, listed, kept, plan } = this;
    const { words, stride, key } = rows;
    heap.clear();
    for (let row = first; row < rows.size; row++) heap.push(row, words[row * stride + key]!);
    if (heap.size > plan.width) this.cut = true;
    kept.fill(0, 0, rows.size - first);
    let number = 0;
    let passed = 0;
    while (heap.size > 0 && number < plan.width) {
      const row = heap.pop();
      const { size } = signatures;
      const at = signatures.entryOf(signatureOf(rows, row, 0), signatureOf(rows, row, 1));
      if (signatures.size > size) alike[at] = 0;
      if (alike[at]! < plan.cap) {
        alike[at]! += 1;
        kept[row - first] = 1;
        number += 1;
      } else {
        listed[passed++] = row;
      }
    }
    signatures.clear();
    for (let nth = 0; nth < passed && number < plan.width; nth++, number++) {
      kept[listed[nth]! - first] = 1;
    }
    const { size } = rows;
    rows.size = 0;
    for (let row = first; row < size; row++) {
      if (kept[row - first] === 1) rows.copy(row, rows.size++);
    }
  }

  /** Keep only the nodes that lead to a row or to the best position so far. */
  private dropNodes(): void {
    const { rows, listed } = this;
    const { words, stride, node, size } = rows;
    for (let row = 0; row < size; row++) listed[row] = words[row * stride + node]!;
    listed[size] = this.best;
    this.tree.keepOnly(listed.subarray(0, size + 1));
    for (let row = 0; row < size; row++) words[row * stride + node] = listed[row]!;
    this.best = listed[size]!;
  }

  /** Whether memory has room for another position's successors. */
  private hasRoom(): boolean {
    const { rows, tree, seen, tables } = this;
    const more = MOVES * (tables.columns + 1);
    return (
      rows.size + more < rows.capacity &&
      tree.size + more + tables.total < tree.capacity &&
      // Dropped positions count as seen too, and some twice: with and without the automatic moves.
      seen.size + 2 * more < seen.capacity
    );
  }

  /** Whether memory is full, which only happens if a position has very many successors. */
  private isFull(): boolean {
    const { rows, tree, seen, tables } = this;
    return (
      rows.size >= rows.capacity ||
      tree.size + tables.total >= tree.capacity ||
      seen.size + 2 >= seen.capacity
    );
  }

  // ---- Generating positions ----

  /** Whether a position with this digest is new since the last deal. */
  private isNew(digest0: number, digest1: number): boolean {
    return this.seen.add(mixed(digest0), mixed(digest1));
  }

  /** Generate the position after a move; queue it for expansion if it is new and not a deal. */
  private readonly offer = (row: number, move: number, end: number): void => {
    if (!this.make(row, move, end) || isDeal(move)) return;
    const { size, words, stride, key } = this.rows;
    this.heap.push(size - 1, words[(size - 1) * stride + key]!);
  };

  /**
   * Generate the position after a move, and keep it as a new row if it is new.
   *
   * @param end the end of the source's cards in `bytes`; not used for deals.
   * @returns whether it was kept.
   */
  private make(row: number, move: number, end: number): boolean {
    const { rows, evaluation, goingHome, tables, tree } = this;
    const { automatic } = goingHome;
    const { words, stride, digest, changed } = rows;
    const { piles, waste } = tables;
    const source = sourceOf(move);
    const target = targetOf(move);
    const dealing = isDeal(move);
    const fills = source > 0 && source < waste && tables.fill.length > 0;
    this.steps += 1;
    if (this.isFull()) {
      this.cut = true;
      return false;
    }
    let digest0 = 0;
    let digest1 = 0;
    // The digest after a simple move can be computed before playing it, which skips most
    // duplicates.
    if (!dealing && !fills) {
      digest0 = digestAfter(rows, row, move, end, 0);
      digest1 = digestAfter(rows, row, move, end, 1);
      if (!this.isNew(digest0, digest1)) return false;
    }
    // Written behind the last row; `rows.size` only grows if the position is kept.
    const made = rows.size;
    const at = made * stride;
    rows.copy(row, made);
    changed.fill(0);
    rows.play(made, move);
    const sent = rows.sent;
    if (dealing || fills || sent) {
      digest0 = digestOf(rows, made, 0);
      digest1 = digestOf(rows, made, 1);
      if (!this.isNew(digest0, digest1)) return false;
    }
    words[at + rows.fresh] = Number(source === waste || dealing);
    goingHome.send(made, this.plan.wayHome, target >= piles);
    // Automatic moves may lead to a position that was already seen.
    if (automatic.length > 0) {
      digest0 = digestOf(rows, made, 0);
      digest1 = digestOf(rows, made, 1);
      if (!this.isNew(digest0, digest1)) return false;
    }
    words[at + digest] = digest0;
    words[at + digest + 1] = digest1;
    if (tables.timed && (target >= piles || automatic.length > 0 || sent || changed[0] === 1)) {
      evaluation.findPhase(made);
    }
    const home = evaluation.evaluate(made);
    let node = tree.add(words[row * stride + rows.node]!, move);
    for (const each of automatic) node = tree.add(node, each);
    words[at + rows.node] = node;
    rows.size += 1;
    if (home > this.home) {
      this.home = home;
      this.best = node;
    }
    return true;
  }
}
