/** The golden files of the repository, which every implementation of the rules must reproduce. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Board, viewOf } from "../../src/rules/board.ts";
import { type Pile, cardName, pack, parsePile } from "../../src/rules/cards.ts";
import { findRuleset } from "../../src/rules/catalog.ts";
import { commitment, dealSeed, layOut, parseSeed, shuffled } from "../../src/rules/deal.ts";
import { isDeadEnd } from "../../src/rules/deadEnd.ts";
import { headway, mostHeadway } from "../../src/rules/headway.ts";
import { hint } from "../../src/rules/hints.ts";
import { legalMoves } from "../../src/rules/moves.ts";
import { parseMove } from "../../src/rules/notation.ts";
import { play } from "../../src/rules/play.ts";
import { type Position, parsePosition, positionOf } from "../../src/rules/position.ts";
import { knownOf } from "../../src/solver/known.ts";

/** The number of moves between two counts in `headway.json`. */
const HEADWAY_EVERY = 10;
/** The same between two searches in `dead-ends.json`. */
const DEAD_END_EVERY = 10;

interface Vector {
  readonly game: string;
  readonly variant: string;
  readonly seed?: string;
  readonly deck?: readonly string[];
  readonly moves?: readonly string[];
  readonly choices?: readonly number[];
  readonly position: Position;
  readonly dead?: readonly number[];
}

const read = (relative: string) => readFileSync(new URL(relative, import.meta.url), "utf8");
const vectors = (name: string): Vector[] => JSON.parse(read(`../../../tests/vectors/${name}`));
const text = (cards: Pile) => cards.map(cardName).join(" ");

function dealt({ game, variant, seed, deck }: Vector): Board {
  const ruleset = findRuleset(game, variant);
  return seed === undefined
    ? layOut(ruleset, parsePile(deck ?? []))
    : dealSeed(ruleset, parseSeed(seed));
}

test.each(vectors("deals.json"))("the deal of $game $variant, seed $seed", (vector) => {
  const board = dealt(vector);
  expect(positionOf(board)).toEqual(vector.position);
  expect(layOut(board.ruleset, parsePile(vector.deck ?? []))).toEqual(board);
  expect(parsePosition(vector.position)).toEqual(board);
});

test.each([...vectors("replays.json"), ...vectors("custom.json")])(
  "a game of $game $variant, seed $seed",
  (vector) => {
    let board = dealt(vector);
    vector.moves?.forEach((move, at) => {
      expect(legalMoves(board)).toHaveLength(vector.choices?.[at] ?? -1);
      board = play(board, parseMove(board.ruleset, move));
    });
    expect(positionOf(board)).toEqual(vector.position);
  },
);

test.each(vectors("hints.json"))("hints in $game $variant, seed $seed", (vector) => {
  let board = dealt(vector);
  for (const move of vector.moves ?? []) {
    expect(hint(board)).toEqual(parseMove(board.ruleset, move));
    expect(hint(viewOf(board))).toEqual(parseMove(board.ruleset, move));
    board = play(board, parseMove(board.ruleset, move));
  }
  expect(hint(board)).toBeNull();
  expect(positionOf(board)).toEqual(vector.position);
});

interface Headways extends Vector {
  readonly most: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<string, readonly number[]>>;
}

test("the headway in the games of hints", () => {
  const found: Headways[] = JSON.parse(read("../../../tests/vectors/headway.json"));
  for (const [nth, { moves = [], ...game }] of vectors("hints.json").entries()) {
    for (const counted of ["turned-up", "in-order"] as const) {
      let board = dealt(game);
      const numbers = [headway(board, counted)];
      for (const [at, move] of moves.entries()) {
        board = play(board, parseMove(board.ruleset, move));
        if ((at + 1) % HEADWAY_EVERY === 0) numbers.push(headway(viewOf(board), counted));
      }
      expect([game.game, mostHeadway(board.ruleset, counted), numbers]).toEqual([
        ...[game.game, found[nth]?.most[counted], found[nth]?.counts[counted]],
      ]);
    }
  }
});

/** The rows of the document's tables whose cells are all in backticks, without these. */
const rows = [...read("../../../engine/DEALS.md").matchAll(/^\|(.*)\|$/gm)]
  .map(([, row = ""]) => row.split("|").map((cell) => cell.trim()))
  .filter((cells) => cells.every((cell) => /^`.*`$/.test(cell)))
  .map((cells) => cells.map((cell) => cell.slice(1, -1)));
const isSeed = (cell: string | undefined) => /^[0-9a-f]{64}$/.test(cell ?? "");

test("`DEALS.md` has the examples that are tested here", () => {
  expect(rows.filter(([seed]) => isSeed(seed)).length).toBeGreaterThanOrEqual(3);
  expect(rows.filter(([, seed]) => isSeed(seed)).length).toBeGreaterThanOrEqual(3);
});

test.each(rows.filter(([seed]) => isSeed(seed)))("the pack of seed %s", (seed, _, one, two) => {
  expect(text(shuffled(pack(1), parseSeed(seed)).slice(0, 6))).toBe(one);
  expect(text(shuffled(pack(2), parseSeed(seed)).slice(0, 6))).toBe(two);
});

test.each(rows.filter(([, seed]) => isSeed(seed)))(
  "the commitment of %s, seed %s",
  (id, seed, to) => {
    expect(commitment(id, parseSeed(seed))).toBe(to);
  },
);

test.each(vectors("dead-ends.json"))("dead ends of $game $variant, seed $seed", (vector) => {
  let board = dealt(vector);
  const dead: number[] = [];
  vector.moves?.forEach((move, nth) => {
    board = play(board, parseMove(board.ruleset, move));
    const number = nth + 1;
    if (number % DEAD_END_EVERY !== 0) return;
    if (isDeadEnd(knownOf(board))) dead.push(number);
    // A view does not tell the cards of a stock that was turned over.
    else expect(isDeadEnd(viewOf(board))).toBe(false);
  });
  expect(dead).toEqual(vector.dead);
});
