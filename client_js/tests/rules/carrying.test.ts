/** Limited moves of sequences: only places that single moves can use carry cards. */

import { expect, test } from "vitest";
import { legalMoves } from "../../src/rules/moves.ts";
import { moveText } from "../../src/rules/notation.ts";
import { parsePosition } from "../../src/rules/position.ts";

/** Four cards in order, two cells and one column free; the other cards lie under t2. */
const piles = {
  ...{ t0: "2C 9S 8D 7S 6D", t1: "TH", t3: "KD", t4: "QC", t5: "QH", t6: "JC", c0: "AH", c1: "3H" },
  t2:
    "AS 2S 3S 4S 5S 6S 8S TS JS QS KS 2H 4H 5H 6H 7H 8H 9H JH KH AD 2D 3D 4D 5D 7D 9D TD JD QD " +
    "AC 3C 4C 5C 6C 7C 8C 9C TC KC",
};

test.each([
  ["standard", "x4"],
  ["tableau.empty=K", null],
  ["tableau.empty=none", null],
  ["cells.plays=foundation", null],
])("in FreeCell with %s, four cards move together: %s", (variant, moved) => {
  const board = parsePosition({
    ...{ game: "freecell", variant },
    piles: Object.fromEntries(Object.entries(piles).map(([name, text]) => [name, text.split(" ")])),
  });
  const found = legalMoves(board).map((move) => moveText(board.ruleset, move));
  expect(found.filter((text) => text.startsWith("t0>t1"))).toEqual(moved ? [`t0>t1${moved}`] : []);
});
