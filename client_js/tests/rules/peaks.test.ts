import { describe, expect, it, test } from "vitest";
import { type Board, pileAt } from "../../src/rules/board.ts";
import { DOWN, cardName, parseCard, parsePile } from "../../src/rules/cards.ts";
import { findRuleset } from "../../src/rules/catalog.ts";
import { changesBetween } from "../../src/rules/changes.ts";
import { dealSeed, layOut } from "../../src/rules/deal.ts";
import { faultOf } from "../../src/rules/faults.ts";
import { hint } from "../../src/rules/hints.ts";
import { isWon, legalMoves } from "../../src/rules/moves.ts";
import { moveText, parseMove } from "../../src/rules/notation.ts";
import { coveredBy, rowsOf } from "../../src/rules/peaks.ts";
import { play } from "../../src/rules/play.ts";
import { parsePosition, positionOf } from "../../src/rules/position.ts";
import { Ruleset } from "../../src/rules/ruleset.ts";
import type { Foundation, Rules, Stock, Tableau } from "../../src/rules/schema.ts";

const { rules: golf } = findRuleset("golf");

/** Golf's rules with a small pyramid or peaks for its columns. */
function withPeaks(peaks: number, places: number, tableau: Partial<Tableau> = {}): Rules {
  const deal = Array<number>(places).fill(1);
  return { ...golf, tableau: { ...golf.tableau!, deal, peaks, ...tableau } };
}

/** The same with pairs, and a waste. */
function withPairs(peaks: number, places: number, tableau: Partial<Tableau> = {}): Rules {
  const [group] = golf.foundations;
  const pair: Foundation = {
    ...{ ...group!, takes: "pair", setup: "empty" },
    ...{ order: "up", match: "suit" },
  };
  const stock: Stock = { ...golf.stock, plays: ["waste"], to_foundation: "fitting" };
  const waste = { plays: ["foundation"], redeals: 0 } as const;
  return { ...withPeaks(peaks, places, tableau), foundations: [pair], stock, waste };
}

/** Deal these cards first, and then the rest of the pack. */
function dealt(rules: Rules, first: readonly string[]): Board {
  expect(faultOf(rules)).toBeNull();
  const ruleset = new Ruleset("test", "standard", rules);
  const cards = first.map(parseCard);
  return layOut(ruleset, [...cards, ...ruleset.pack.filter((card) => !cards.includes(card))]);
}

function after(board: Board, ...moves: string[]): Board {
  return moves.reduce((at, move) => play(at, parseMove(at.ruleset, move)), board);
}

const names = (board: Board, pile: string) =>
  pileAt(board, board.ruleset.pileNumbers.get(pile)!).map(cardName);
const moves = (board: Board) => legalMoves(board).map((move) => moveText(board.ruleset, move));

test.each([
  [1, 28, [1, 2, 3, 4, 5, 6, 7]],
  [3, 28, [3, 6, 9, 10]],
  [2, 5, [2, 3]],
  [1, 27, null],
  [3, 27, null],
  [1, 1, null],
  [4, 4, null],
])("%i peaks of %i places have the rows %j", (peaks, places, rows) => {
  expect(rowsOf(peaks, places)).toEqual(rows);
});

test("two places of the next row cover each place", () => {
  expect(coveredBy(1, 6)).toEqual([[1, 2], [3, 4], [4, 5], [], [], []]);
  const covers = coveredBy(3, 28);
  expect(covers.slice(0, 3)).toEqual([
    [3, 4],
    [5, 6],
    [7, 8],
  ]);
  expect(covers[8]).toEqual([16, 17]);
  expect(covers.slice(9, 18)).toEqual(Array.from({ length: 9 }, (_, at) => [18 + at, 19 + at]));
});

describe("a card of the peaks", () => {
  const rules = withPeaks(1, 3, { face_up: 1 });
  const start = dealt(rules, ["7C", "KS", "8H", "6D"]);

  it("lies face down, and stays, until no card covers it; then it turns up with the move", () => {
    expect(names(start, "t0")).toEqual(["?KS"]);
    expect(moves(start).toSorted()).toEqual(["s>f0", "t1>f0", "t2>f0"]);
    const one = after(start, "t1>f0");
    expect(names(one, "t0")).toEqual(["?KS"]);
    expect(names(after(one, "s>f0"), "t0")).toEqual(["?KS"]);
    const both = dealt(rules, ["7C", "KS", "8H", "9D"]);
    expect(names(after(both, "t1>f0", "t2>f0"), "t0")).toEqual(["KS"]);
  });

  it("lies the right way up in a position, and is not missing while it is covered", () => {
    const variant = changesBetween(golf, rules);
    const board = dealSeed(findRuleset("golf", variant), new Uint8Array(32));
    const { piles, ...position } = positionOf(board);
    const load = (changed: object) =>
      parsePosition({ ...position, piles: { ...piles, ...changed } });
    expect(load({}).piles).toEqual(board.piles);
    const [top, left] = [piles["t0"]!, piles["t1"]!];
    expect(() => load({ t0: [top[0]!.slice(1)] })).toThrow("the wrong way up");
    expect(() => load({ t1: [`?${left[0]}`] })).toThrow("the wrong way up");
    expect(() => load({ t0: [], f0: [...piles["f0"]!, top[0]!.slice(1)] })).toThrow("one card");
    expect(() => load({ t1: [], t0: [...top, `?${left[0]}`] })).toThrow("one card");
  });
});

describe("two cards of thirteen", () => {
  const start = dealt(withPairs(1, 3), ["KS", "9H", "4D", "9C"]);

  it("go home together, the moved one first; a King goes alone", () => {
    expect(moves(start).toSorted()).toEqual(["s>w", "t1>t2", "t2>t1"]);
    const pair = after(start, "t2>t1");
    expect(names(pair, "f0")).toEqual(["4D", "9H"]);
    expect(names(after(pair, "t0>f0"), "f0")).toEqual(["4D", "9H", "KS"]);
    const waste = after(start, "s>w");
    expect(moves(waste).filter((move) => move.includes("w"))).toEqual(
      expect.arrayContaining(["t2>w", "w>t2"]),
    );
    expect(names(after(waste, "w>t2"), "w")).toEqual([]);
  });

  it("are filled after both are gone", () => {
    const columns: Rules = withPairs(1, 3, { peaks: null, empty: "any", fill: ["waste"] });
    const board = after(dealt(columns, ["KS", "9H", "4D", "TC", "9C"]), "s>w", "s>w");
    const pair = after(board, "t2>w");
    expect(names(pair, "t2")).toEqual(["TC"]);
    expect(names(pair, "w")).toEqual([]);
  });

  it("are hinted at if they free the most", () => {
    const board = dealt(withPairs(1, 6), ["KS", "2H", "3D", "9S", "4H", "9D", "4C"]);
    expect(moveText(board.ruleset, hint(board)!)).toBe("t3>t4");
  });
});

test("the move that clears the tableau brings all other cards home", () => {
  const rules = withPairs(1, 3, { cleared: "wins" });
  const start = after(dealt(rules, ["KS", "9H", "4D", "TC", "2C"]), "s>w", "t1>t2");
  expect(isWon(start)).toBe(false);
  const won = after(start, "t0>f0");
  expect(isWon(won)).toBe(true);
  const home = pileAt(won, 0);
  expect(home.slice(0, 4)).toEqual(parsePile(["9H", "4D", "KS", "2C"]));
  expect(home.at(-1)).toBe(parseCard("TC"));
  expect(home.some((card) => (card & DOWN) !== 0)).toBe(false);
});
