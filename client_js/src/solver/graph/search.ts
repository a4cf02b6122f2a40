/** The two searches through the positions that a board leads to, in one memory. */

import type { Board } from "../../rules/board.ts";
import { PACK_SIZE } from "../../rules/cards.ts";
import { MoveTree, ROOT } from "../beam/moveTree.ts";
import { type Weights, pointsOf } from "./evaluation.ts";
import { sendHome } from "./goingHome.ts";
import { MOST_MOVES } from "./moveList.ts";
import type { Salt } from "./noise.ts";
import { Offers } from "./offers.ts";
import { Position } from "./position.ts";
import { Rows } from "./rows.ts";
import { Seen } from "./seen.ts";
import type { Tables } from "./tables.ts";

/** The most positions that a search which expands the most promising first stores. */
const ROWS = 1 << 15;
/** How many nodes of the tree of moves there are for each of them, besides those of one position. */
const NODES = 4;

/** The most moves of a line in a short search, and in a long one. */
export const SHORT_LINE = 4_000;
export const LONG_LINE = 60_000;

/** Numbers of the stack for each move of a line. */
const FRAMES = 16;

/** How much a search may do. */
export interface Bounds {
  /** How many positions it generates at the most. */
  readonly steps: number;
  /** How many digests its table has room for, a power of 2. */
  readonly seen: number;
  /** The most moves of a line. */
  readonly moves: number;
}

export class Search {
  readonly tables: Tables;
  /** How many positions the last search generated. */
  steps = 0;
  /** The most cards at home in it, if there were more than at first. */
  home = 0;
  /** The moves that bring them there, as numbers. */
  line: readonly number[] = [];
  /** Whether positions were left out for want of memory or steps. */
  cut = false;

  private readonly position: Position;
  private readonly offers: Offers;
  private readonly seen = new Seen();
  private readonly rows: Rows;
  private readonly tree = new MoveTree(NODES * ROWS + PACK_SIZE * MOST_MOVES);
  private readonly stack = new Int32Array(FRAMES * LONG_LINE);
  /** The node of the position with the most cards at home. */
  private best = ROOT;

  constructor(tables: Tables) {
    this.tables = tables;
    this.position = new Position(tables, LONG_LINE);
    this.offers = new Offers(this.position);
    this.rows = new Rows(this.position, ROWS);
  }

  private isWon(): boolean {
    return this.home === this.tables.total;
  }

  /** Begin with a board, and with the cards that go home by themselves. */
  private begin(board: Board, seen: number): void {
    const { position } = this;
    position.begin(board);
    this.steps = 0;
    this.cut = false;
    this.line = [];
    this.home = position.home;
    this.seen.clear(seen);
    sendHome(position);
    this.isNew();
  }

  /** Enter the position; return whether it was not seen before. */
  private isNew(): boolean {
    this.position.digest();
    return this.seen.add(this.position.digest0, this.position.digest1);
  }

  /**
   * Expand the most promising position first, until the board is won, nothing is left, or memory is
   * full.
   */
  bestFirst(board: Board, { steps, seen }: Bounds, weights: Weights): void {
    const { position, rows, offers, tree } = this;
    const { list } = offers;
    this.begin(board, seen);
    rows.clear();
    tree.clear();
    this.best = ROOT;
    this.keep(ROOT, weights);
    while (rows.heap.size > 0 && !this.isWon()) {
      if (!this.hasRoom() || this.steps >= steps) {
        this.cut = true;
        break;
      }
      const node = rows.takeFirst(position);
      offers.find();
      for (let nth = 0; nth < list.size && !this.isWon(); nth++) {
        this.steps += 1;
        position.play(list.moves[nth]!);
        sendHome(position);
        if (this.isNew()) this.keep(node, weights);
        while (position.played > 0) position.takeBack();
      }
    }
    this.line = tree.lineTo(this.best);
  }

  /** Whether the memory has room for the positions after one more. */
  private hasRoom(): boolean {
    const { rows, tree } = this;
    return (
      rows.size + MOST_MOVES <= rows.capacity && tree.size + PACK_SIZE * MOST_MOVES <= tree.capacity
    );
  }

  /** Keep the position, with the moves that led to it from a node. */
  private keep(parent: number, weights: Weights): void {
    const { position, rows, tree } = this;
    let node = parent;
    for (let nth = 0; nth < position.played; nth++) node = tree.add(node, position.moveAt(nth));
    rows.keep(position, node, pointsOf(position, weights));
    if (position.home <= this.home) return;
    this.home = position.home;
    this.best = node;
  }

  /**
   * Go as deep as possible, which needs memory for digests only, until the board is won, nothing is
   * left, or memory is full.
   *
   * A frame of the stack has how many moves are left to try, how many were played up to its position,
   * and those moves; the size of a frame follows it.
   *
   * @param salt of the noise by which moves are tried in a random order; null for none.
   */
  depthFirst(board: Board, { steps, seen: capacity, moves }: Bounds, salt: Salt | null): void {
    const { position, stack, seen } = this;
    const room = FRAMES * moves - MOST_MOVES - 8;
    const deepest = moves - PACK_SIZE - 1;
    this.begin(board, capacity);
    if (this.hasWon()) return;
    let frame = 0;
    this.open(frame, salt);
    for (;;) {
      while (position.played > stack[frame + 1]!) position.takeBack();
      const left = stack[frame]!;
      if (left === 0) {
        if (frame === 0) return;
        frame -= stack[frame - 1]!;
        continue;
      }
      stack[frame] = left - 1;
      if (this.steps >= steps || seen.isFull) {
        this.cut = true;
        return;
      }
      this.steps += 1;
      position.play(stack[frame + 1 + left]!);
      sendHome(position);
      if (!this.isNew()) continue;
      if (this.hasWon()) return;
      // The move that was tried is not among those left.
      const size = left - 1 + 4;
      if (frame + size > room || position.played >= deepest) {
        this.cut = true;
        continue;
      }
      stack[frame + size - 1] = size;
      frame += size;
      this.open(frame, salt);
    }
  }

  /** Note whether the position is won, and by which moves. */
  private hasWon(): boolean {
    const { position, tables } = this;
    if (position.home < tables.total) return false;
    this.home = position.home;
    this.line = position.moves();
    return true;
  }

  /** List the moves of the position on the stack, in a frame. */
  private open(frame: number, salt: Salt | null): void {
    const { position, stack } = this;
    const { list } = this.offers;
    this.offers.find();
    list.sort(salt);
    stack[frame] = list.size;
    stack[frame + 1] = position.played;
    for (let nth = 0; nth < list.size; nth++) stack[frame + 2 + nth] = list.moves[nth]!;
  }
}
