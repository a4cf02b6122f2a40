/** The rules allow what soliterm 1.2.0 allows; `tests/vectors/test_soliterm.py` describes the file. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { legalMoves } from "../../src/rules/moves.ts";
import { moveText } from "../../src/rules/notation.ts";
import { type Position, parsePosition } from "../../src/rules/position.ts";

interface Entry {
  readonly position: Position;
  readonly moves: readonly string[];
}

const file = new URL("../../../tests/vectors/soliterm.json", import.meta.url);
const ENTRIES: readonly Entry[] = JSON.parse(readFileSync(file, "utf8"));

/** Moves between cells, and from foundations in Canfield, that it has in addition. */
const MORE: Readonly<Record<string, RegExp>> = { freecell: /^c\d>c\d$/u, canfield: /^f\d>t\d$/u };

test("there are positions", () => {
  expect(ENTRIES.length).toBeGreaterThan(50);
});

test.each(ENTRIES.map((entry) => ({ entry, of: entry.position.game })))(
  "the legal moves of a position of $of are the same",
  ({ entry: { position, moves } }) => {
    const board = parsePosition(position);
    const own = legalMoves(board).map((move) => moveText(board.ruleset, move));
    const more = MORE[position.game];
    expect(own.sort()).toEqual(moves.filter((move) => !more?.test(move)));
  },
);
