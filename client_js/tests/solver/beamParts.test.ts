/** Parts of the beam search in isolation. */

import { describe, expect, it } from "vitest";
import type { Board } from "../../src/rules/board.ts";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { dealSeed } from "../../src/rules/deal.ts";
import { legalMoves } from "../../src/rules/moves.ts";
import { apply } from "../../src/rules/play.ts";
import { type Move, ROW, type Ruleset } from "../../src/rules/ruleset.ts";
import { applies } from "../../src/solver/beam.ts";
import { digestAfter, digestOf } from "../../src/solver/beam/digests.ts";
import { HashTable, LANES, mixed } from "../../src/solver/beam/hashes.ts";
import { MoveTree, ROOT } from "../../src/solver/beam/moveTree.ts";
import { RowHeap } from "../../src/solver/beam/rowHeap.ts";
import { Rows } from "../../src/solver/beam/rows.ts";
import { Tables, encoded, isDeal } from "../../src/solver/beam/tables.ts";
import { randomFrom, shuffledBy } from "../../src/solver/random.ts";

const RULESETS = games
  .flatMap(({ id, variants }) => variants.map((variant) => findRuleset(id, variant.id)))
  .filter(applies)
  .map((ruleset) => ({ name: `${ruleset.game} ${ruleset.variant}`, ruleset }));

/** Return a move as encoded by the search. */
function numberOf(tables: Tables, { source, target, count }: Move): number {
  const numbers = [...Array(tables.piles).keys()];
  const numberOfPile = (pile: number) => numbers.find((each) => tables.pileOf(each) === pile)!;
  if (target === ROW) return encoded(0, tables.piles + tables.foundations, count);
  const onFoundation = target < tables.foundations;
  return encoded(
    numberOfPile(source),
    onFoundation ? tables.piles + target : numberOfPile(target),
    count,
  );
}

function* walked(ruleset: Ruleset): Generator<[Board, Move[]]> {
  const random = randomFrom(41);
  for (let deal = 0; deal < 4; deal++) {
    const seed = Uint8Array.from({ length: 32 }, () => random() & 0xff);
    let board = dealSeed(ruleset, seed);
    for (let nth = 0; nth < 150; nth++) {
      const moves = legalMoves(board);
      if (moves.length === 0) break;
      if (nth % 6 === 0) yield [board, moves];
      const [move] = shuffledBy(random, moves);
      board = apply(board, move!);
    }
  }
}

function contentOf(rows: Rows, row: number): number[] {
  const { stride, sizes, cards, bytes, words, points } = rows;
  const base = row * 4 * stride;
  const piles = bytes.subarray(base + sizes, base + rows.hidden);
  const held = piles.reduce((sum, size) => sum + size, 0);
  return [
    ...bytes.subarray(base + sizes, base + cards + held),
    ...words.subarray(row * stride, row * stride + points),
  ];
}

describe("rows", () => {
  it.each(RULESETS)("play moves as the rules do, in $name", ({ ruleset }) => {
    const tables = new Tables(ruleset);
    const [rows, others] = [new Rows(tables, 2), new Rows(tables, 1)];
    for (const [board, moves] of walked(ruleset)) {
      for (const move of moves) {
        rows.begin(board);
        rows.copy(0, 1);
        rows.play(1, numberOf(tables, move));
        others.begin(apply(board, move));
        expect(contentOf(rows, 1)).toEqual(contentOf(others, 0));
        expect(tables.move(numberOf(tables, move))).toEqual(move);
      }
    }
  });

  it.each(RULESETS)("predict the digest after a move, in $name", ({ ruleset }) => {
    const tables = new Tables(ruleset);
    const rows = new Rows(tables, 1);
    for (const [board, moves] of walked(ruleset)) {
      for (const move of moves.map((each) => numberOf(tables, each))) {
        if (isDeal(move) || tables.fill.length > 0) continue;
        rows.begin(board);
        let end = rows.cards;
        for (let pile = 0; pile <= move >> 17; pile++) end += rows.bytes[rows.sizes + pile]!;
        for (let lane = 0; lane < LANES; lane++) {
          rows.words[rows.digest + lane] = digestOf(rows, 0, lane);
        }
        const foretold = [0, 1].map((lane) => digestAfter(rows, 0, move, end, lane));
        rows.play(0, move);
        expect(foretold).toEqual([0, 1].map((lane) => digestOf(rows, 0, lane)));
      }
    }
  });
});

describe("a table of hashes", () => {
  it("contains inserted hashes, and drops them when cleared", () => {
    const table = new HashTable(64);
    for (let round = 0; round < 3; round++) {
      // All of these start at a few slots.
      const hashes = Array.from({ length: 48 }, (_, nth) => [(nth % 5) * 128, mixed(nth)] as const);
      for (const [lane0, lane1] of hashes) expect(table.add(lane0, lane1)).toBe(true);
      for (const [lane0, lane1] of hashes) expect(table.add(lane0, lane1)).toBe(false);
      expect(table.size).toBe(48);
      const entries = hashes.map(([lane0, lane1]) => table.entryOf(lane0, lane1));
      expect(new Set(entries).size).toBe(48);
      table.clear();
      expect(table.size).toBe(0);
    }
  });
});

describe("a heap of rows", () => {
  it("yields the most points first, and of equals the lower row", () => {
    const random = randomFrom(9);
    const heap = new RowHeap(200);
    const rows = Array.from({ length: 200 }, (_, row) => ({ row, points: (random() % 40) - 20 }));
    for (const { row, points } of shuffledBy(random, rows)) heap.push(row, points * 1_000_000);
    const sorted = rows.sort((one, two) => two.points - one.points || one.row - two.row);
    expect(rows.map(() => heap.pop())).toEqual(sorted.map(({ row }) => row));
    expect(heap.size).toBe(0);
  });
});

describe("a tree of moves", () => {
  it("keeps the lines to the kept nodes, and nothing else", () => {
    const random = randomFrom(13);
    const tree = new MoveTree(400);
    const nodes = [ROOT];
    for (let move = 1; move < 300; move++) nodes.push(tree.add(random() % tree.size, move));
    const kept = Int32Array.from([ROOT, ...shuffledBy(random, nodes).slice(0, 12)]);
    const lines = [...kept].map((node) => tree.lineTo(node));
    tree.keepOnly(kept);
    expect([...kept].map((node) => tree.lineTo(node))).toEqual(lines);
    expect(tree.size).toBe(new Set(lines.flat()).size + 1);
  });
});
