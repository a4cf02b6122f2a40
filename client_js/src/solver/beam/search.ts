/**
 * A staged beam search. This is `engine/solver/kernel.py`: it generates the same positions in the
 * same order.
 *
 * A stage lies between two deals from the stock. Within it, positions are expanded best first by all
 * other moves; then the stock is dealt to what was reached, and the best positions are kept, as many
 * as the beam is wide.
 */

import type { Board } from "../../rules/board.ts";
import { Evaluation, RUN } from "./evaluation.ts";
import { HashTable, mixed } from "./hashes.ts";
import { MoveTree, ROOT } from "./moveTree.ts";
import { NO_WEIGHTS, type Plan, SCALE, type WayHome, wholePlan } from "./plans.ts";
import { RowHeap } from "./rowHeap.ts";
import { Rows } from "./rows.ts";
import { NONE, type Tables, encoded, isDeal, sourceOf, targetOf } from "./tables.ts";

/** How many nodes of the tree of moves there may be for each row. */
const NODES = 4;
/** How many positions a pile's moves may lead to from one position, at the most. */
const MOVES = 64;

export class Search {
  readonly tables: Tables;
  /** The most positions that are held at once. */
  readonly capacity: number;
  /** How many positions were generated. */
  steps = 0;
  /** The most cards home in this beam. */
  home = 0;
  /** Whether positions were left out for want of width, memory or budget. */
  cut = false;

  private readonly rows: Rows;
  private readonly evaluation: Evaluation;
  private readonly heap: RowHeap;
  private readonly seen: HashTable;
  private readonly signatures: HashTable;
  /** How many rows are kept of each signature. */
  private readonly alike: Int32Array;
  private readonly tree: MoveTree;
  /** Rows that are listed, in some order. */
  private readonly listed: Int32Array;
  private readonly kept: Uint8Array;
  private plan: Plan = wholePlan(NO_WEIGHTS, false);
  private budget = 0;
  /** The node of the position with the most cards home. */
  private best = ROOT;
  /** The moves that cards made by themselves in the position that is generated. */
  private readonly automatic: number[] = [];

  /** @param capacity a power of 2. */
  constructor(tables: Tables, capacity: number) {
    this.tables = tables;
    this.capacity = capacity;
    this.rows = new Rows(tables, capacity);
    this.evaluation = new Evaluation(tables, this.rows);
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
   * @returns the moves, as numbers, that bring the most cards home; how many are, `home` tells.
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
    this.budget = budget;
    this.cut = false;
    this.best = ROOT;
    this.heap.clear();
    this.tree.clear();
    rows.begin(board);
    rows.words[rows.node] = ROOT;
    rows.words[rows.fresh] = 1;
    rows.changed.fill(1);
    evaluation.begin(board, plan.weights);
    if (this.tables.timed) evaluation.findPhase(0);
    this.home = evaluation.evaluate(0);
    for (let lane = 0; lane < 2; lane++) rows.words[rows.digest + lane] = rows.digestOf(0, lane);
  }

  private isWon(): boolean {
    return this.home === this.tables.total;
  }

  // ---- The beam ----

  /**
   * Expand the best rows and what they lead to, without the stock's moves, as far as allowed.
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
      this.expand(heap.pop());
    }
    if (heap.size > 0) this.cut = true;
    return dealing;
  }

  /**
   * Generate the positions after the next deal, those after the best rows first.
   *
   * Where the stock's cards go to the waste and nothing else takes them, a deal commutes with all
   * moves that do not take the waste's top card. So it is enough to deal where such a move was the
   * last, or where none was made since the last deal: the others can be made after the deal.
   */
  private dealAll(): void {
    const { rows, heap, listed, plan } = this;
    const { words, stride, key, fresh } = rows;
    heap.clear();
    for (let row = 0; row < rows.size; row++) {
      const at = row * stride;
      if (!this.tables.defers || words[at + fresh] === 1) heap.push(row, words[at + key]!);
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
      this.deal(listed[nth]!);
    }
  }

  /**
   * Keep the best rows from `first` on, as many as the beam is wide, and move them to the front.
   *
   * No more than a share of the width may have the same signature; if that leaves room, the best of
   * the others take it.
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
      const at = signatures.entryOf(rows.signatureOf(row, 0), rows.signatureOf(row, 1));
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

  /** Whether the memory has room for the positions after one more. */
  private hasRoom(): boolean {
    const { rows, tree, seen, tables } = this;
    const more = MOVES * (tables.columns + 1);
    return (
      rows.size + more < rows.capacity &&
      tree.size + more + tables.total < tree.capacity &&
      // Positions are seen, too, that are not kept, and some twice: with and without what goes home.
      seen.size + 2 * more < seen.capacity
    );
  }

  // ---- Generating positions ----

  /** Whether a position of this digest was not yet seen since the last deal. */
  private isNew(digest0: number, digest1: number): boolean {
    return this.seen.add(mixed(digest0), mixed(digest1));
  }

  /**
   * Generate the position after a move, and keep it as a new row if it is new.
   *
   * @param end where the source's cards end in `bytes`; not used for deals.
   * @returns whether it was kept.
   */
  private offer(row: number, move: number, end: number): boolean {
    const { rows, evaluation, tables, tree, automatic, plan } = this;
    const { words, stride, digest, changed } = rows;
    const { piles, waste } = tables;
    const source = sourceOf(move);
    const target = targetOf(move);
    const dealing = isDeal(move);
    const fills = source > 0 && source < waste && tables.fill.length > 0;
    this.steps += 1;
    let digest0 = 0;
    let digest1 = 0;
    if (!dealing && !fills) {
      digest0 = rows.digestAfter(row, move, end, 0);
      digest1 = rows.digestAfter(row, move, end, 1);
      if (!this.isNew(digest0, digest1)) return false;
    }
    const made = rows.size;
    const at = made * stride;
    rows.copy(row, made);
    changed.fill(0);
    rows.play(made, move);
    if (dealing || fills) {
      digest0 = rows.digestOf(made, 0);
      digest1 = rows.digestOf(made, 1);
      if (!this.isNew(digest0, digest1)) return false;
    }
    words[at + rows.fresh] = Number(source === waste || dealing);
    automatic.length = 0;
    if (plan.wayHome !== "never") {
      this.sendHome(made, plan.wayHome, target >= piles);
      if (automatic.length > 0) {
        digest0 = rows.digestOf(made, 0);
        digest1 = rows.digestOf(made, 1);
        if (!this.isNew(digest0, digest1)) return false;
      }
    }
    words[at + digest] = digest0;
    words[at + digest + 1] = digest1;
    if (tables.timed && (target >= piles || automatic.length > 0 || changed[0] === 1)) {
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

  /** Offer a position; queue it to be expanded, unless the move is one of the stock. */
  private offerQueued(row: number, move: number, end: number): void {
    if (!this.offer(row, move, end) || isDeal(move)) return;
    const { size, words, stride, key } = this.rows;
    this.heap.push(size - 1, words[(size - 1) * stride + key]!);
  }

  /**
   * Offer the moves of a top card to foundations that take it, one for each kind of top.
   *
   * Foundations of one group with equal tops are interchangeable.
   */
  private offerHome(row: number, source: number, card: number, end: number): void {
    const { foundations, piles } = this.tables;
    for (let f = 0; f < foundations; f++) {
      if (this.takes(row, f, card) && !this.hasTwin(row, f)) {
        this.offerQueued(row, encoded(source, piles + f, 1), end);
      }
    }
  }

  /** Whether a foundation takes a card. */
  private takes(row: number, foundation: number, card: number): boolean {
    const { homes, group, kinds } = this.tables;
    const { bytes, stride, tops } = this.rows;
    const top = bytes[row * 4 * stride + tops + foundation]!;
    return homes[(group[foundation]! * (kinds + 1) + top + 1) * kinds + card] === 1;
  }

  /** Whether a foundation before this one is of the same group and has the same top. */
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
      if (builds[at] === 1) this.offerQueued(row, encoded(source, column, 1), end);
    }
  }

  /** Offer all positions that a move leads to, except those of the stock and of the redeal. */
  private expand(row: number): void {
    const { bytes, stride, cards, sizes, hidden } = this.rows;
    const { columns, waste, builds, kinds, playsHome, columnSpreads, wasteSpreads } = this.tables;
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
      let run = 1;
      while (run < open && builds[(bytes[end - run - 1]! + 1) * kinds + bytes[end - run]!] === 1) {
        run += 1;
      }
      if (playsHome[pile] === 1) {
        this.offerHome(row, pile, bytes[end - 1]!, end);
        if (run >= RUN) this.offerRun(row, pile, end);
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

  /** Offer the moves of a whole run to foundations, one for each group. */
  private offerRun(row: number, pile: number, end: number): void {
    const { bytes, stride, tops } = this.rows;
    const { foundations, group, heads, kinds, piles } = this.tables;
    const head = bytes[end - RUN]!;
    let tried = NONE;
    for (let f = 0; f < foundations; f++) {
      const each = group[f]!;
      if (bytes[row * 4 * stride + tops + f] !== NONE || each === tried) continue;
      if (heads[each * kinds + head] !== 1) continue;
      this.offerQueued(row, encoded(pile, piles + f, RUN), end);
      tried = each;
    }
  }

  /**
   * Offer the moves of a tableau pile's run, whole or in part, to other tableau piles.
   *
   * @param run its length.
   * @param spaces how many tableau piles are empty, of which `space` is the first.
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
    if (runs === "card") most = 1;
    else if (runs === "run-by-spaces") most = Math.min(run, 1 << spaces);
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
        // Without rows to come, all empty piles are alike, and moving a whole pile to one changes
        // nothing.
        if (!ordered && column !== space) continue;
        if (runs === "run-by-spaces") longest = 1;
      }
      for (let count = 1; count <= longest; count++) {
        const moot = height === 0 && count === size && !(ordered && this.plan.whole);
        if (moot && fill.length === 0) continue;
        if (builds[at + bytes[end - count]!] !== 1) continue;
        this.offerQueued(row, encoded(pile, column, count), end);
      }
    }
  }

  /** Offer the positions that the stock's moves lead to, or turning the waste over. */
  private deal(row: number): void {
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
    if (tables.stockToRow) this.offer(row, encoded(0, piles + foundations, 1), base);
    if (tables.stockSpreads) this.offerSpread(row, 0, card, base);
    if (stockHome === "fitting") this.offerHome(row, 0, card, base);
    for (let f = 0; f < foundations; f++) {
      const starts =
        stockHome === "first" && bytes[base + tops + f] === NONE && this.takes(row, f, card);
      if (starts || stockHome === "any") this.offer(row, encoded(0, piles + f, 1), base);
    }
  }

  // ---- Cards that go home by themselves ----

  /** Let the cards go home that go there by themselves, and note their moves in `automatic`. */
  private sendHome(row: number, how: WayHome, foundationsChanged: boolean): void {
    const { rows, tables, automatic } = this;
    // Only the piles that changed are looked at, as long as no foundation does.
    let move = this.nextHome(row, how, foundationsChanged);
    while (move !== NONE) {
      rows.play(row, move);
      automatic.push(move);
      if (sourceOf(move) === tables.waste) rows.words[row * rows.stride + rows.fresh] = 1;
      move = this.nextHome(row, how, true);
    }
  }

  /** The first move of a card that goes home by itself, from all piles or those that changed. */
  private nextHome(row: number, how: WayHome, all: boolean): number {
    const { bytes, stride, cards, sizes, changed } = this.rows;
    const { piles, waste, playsHome } = this.tables;
    const base = row * 4 * stride;
    let counted = false;
    let end = base + cards + bytes[base + sizes]!;
    for (let pile = 1; pile < piles; pile++) {
      const size = bytes[base + sizes + pile]!;
      end += size;
      if (size === 0 || playsHome[pile] === 0 || !(all || changed[pile] === 1)) continue;
      const card = bytes[end - 1]!;
      const foundation = this.firstTaking(row, card);
      if (foundation === NONE) continue;
      if (pile !== waste || how === "safely") {
        if (!counted) this.evaluation.countFoundations(row);
        counted = true;
        if (!this.mayGoHome(card, how)) continue;
      }
      return encoded(pile, piles + foundation, 1);
    }
    return NONE;
  }

  /** The first foundation that takes a card, or `NONE`. */
  private firstTaking(row: number, card: number): number {
    const { foundations } = this.tables;
    for (let f = 0; f < foundations; f++) if (this.takes(row, f, card)) return f;
    return NONE;
  }

  /**
   * Whether a card that some foundation takes goes there by itself, in a regular game.
   *
   * `safely`: every card that could be built on it is home, so that it serves no other card in the
   * tableau; and each other card of its kind can go home at once as well, so that none of them needs
   * its place there. No win is lost: take any line of moves, and leave out the moves of this card.
   * What is left is still a line, since what the card covers is free sooner, and nothing needs the
   * card below it.
   *
   * `later` and `early` are heuristics: of two cards of a kind, the other may be the one that has
   * to leave. `early` lets also those be left that can go home themselves.
   */
  private mayGoHome(card: number, how: WayHome): boolean {
    const { line, turn, kids } = this.tables;
    const { fewest } = this.evaluation;
    const nth = turn[card]!;
    if (how === "safely") {
      if (fewest[line[card]!]! < nth) return false;
    } else if (nth <= 1) {
      return true;
    }
    const slack = how === "early" ? 1 : 0;
    for (const kid of kids[card]!) {
      if (fewest[line[kid]!]! + slack <= turn[kid]!) return false;
    }
    return true;
  }
}
