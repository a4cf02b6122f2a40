import { describe, expect, it } from "vitest";
import { type Board, type View, viewOf as seenOf } from "../../src/rules/board.ts";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { dealSeed } from "../../src/rules/deal.ts";
import { hint } from "../../src/rules/hints.ts";
import { isWon, legalMoves } from "../../src/rules/moves.ts";
import { moveText } from "../../src/rules/notation.ts";
import { play } from "../../src/rules/play.ts";
import { canFinish, finishingMove, safeMove } from "../src/board/finishing.ts";
import { viewOf } from "./tables.ts";

const RANKS = "A23456789TJQK";
const upTo = (last: string, suit: string) =>
  [...RANKS.slice(0, RANKS.indexOf(last) + 1)].map((rank) => rank + suit).join("");
const homes = (last: string) =>
  Object.fromEntries([..."SHDC"].map((suit, nth) => [`f${nth}`, upTo(last, suit)]));

/** Return the moves that finish a game from this board, or undefined if it cannot be finished. */
function finished(view: Board): string[] | undefined {
  let board: Board = view;
  const moves: string[] = [];
  while (!isWon(board)) {
    const move = canFinish(seenOf(board)) ? finishingMove(seenOf(board)) : null;
    if (move === null || moves.length > 500) return undefined;
    moves.push(moveText(view.ruleset, move));
    board = play(board, move);
  }
  return moves;
}

describe("finishing a game", () => {
  it("plays the remaining moves home, also from cells, and none back", () => {
    const all = { t0: "KSQS", t1: "KHQH", t2: "KDKCQC", t3: "QD" };
    expect(finished(viewOf("lady-betty", { ...homes("J"), ...all }))).toHaveLength(8);
    const cells = { t0: "KSQH", t1: "KHQS", c0: "KD", c1: "QC", t3: "KCQD" };
    const moves = finished(viewOf("freecell", { ...homes("J"), ...cells }));
    expect(moves).toHaveLength(8);
    expect(moves?.every((move) => /^[tc]\d>f\d$/.test(move))).toBe(true);
  });

  it("deals and turns over the waste while cards are left there", () => {
    const left = { t0: "KSQH", t1: "KH", s: "KDQS", w: "QDQCKC" };
    const moves = finished(viewOf("klondike", { ...homes("J"), ...left }));
    expect(moves).toContain("s>w");
    expect(moves).toContain("w>s");
    expect(moves?.filter((move) => move.includes(">f"))).toHaveLength(8);
  });

  it("brings the last pairs home, and leaves the rest to the cleared tableau", () => {
    const left = ["KS", "9C", "4D", "2S", "5S"];
    const home = [..."SHDC"].flatMap((suit) => [...RANKS].map((rank) => rank + suit));
    const f0 = home.filter((card) => !left.includes(card)).join("");
    const view = viewOf("pyramid", { f0, t0: "KS", t1: "9C", t2: "4D", w: "2S", s: "??" });
    expect(canFinish(view)).toBe(true);
    expect(moveText(view.ruleset, finishingMove(view)!)).toBe("t1>t2");
    expect(safeMove(view)).toBeNull();
  });

  it("is not offered while a card is face down or blocked, or if dealing may not reach it", () => {
    const none = (game: string, piles: Record<string, string>) =>
      canFinish(viewOf(game, { ...homes("J"), ...piles }));
    expect(none("klondike", { t0: "??KS", t1: "KHQH", t2: "KDQD", t3: "KCQC" })).toBe(false);
    expect(none("lady-betty", { t0: "QSKS", t1: "KHQH", t2: "KDQD", t3: "KCQC" })).toBe(false);
    expect(none("lady-betty", { t0: "KSQS", t1: "KHQH", t2: "KDQD", t3: "KC", s: "QC" })).toBe(
      false,
    );
    const vegas = viewOf("klondike", {
      ...homes("J"),
      t0: "KSQH",
      t1: "KH",
      s: "KDQS",
      w: "KCQCQD",
    });
    for (const variant of ["draw-three", "vegas"]) {
      expect(canFinish({ ...vegas, ruleset: findRuleset("klondike", variant) })).toBe(false);
    }
  });

  it("waits for the card that the server has yet to show", () => {
    const view = viewOf("klondike", { ...homes("J"), t0: "KS", t1: "KH", w: "KDQSQHKCQC??" });
    expect(canFinish(view)).toBe(true);
    expect(finishingMove(view)).toBeNull();
  });

  it("wins whenever it is offered in games played by hints", () => {
    const ended: boolean[] = [];
    for (let nth = 1; nth <= 10; nth++) {
      let board: Board = dealSeed(findRuleset("klondike"), new Uint8Array(32).fill(nth));
      for (let moves = 0; moves < 150 && !canFinish(seenOf(board)); moves++) {
        const next = hint(board);
        if (next === null) break;
        board = play(board, next);
      }
      if (canFinish(seenOf(board))) ended.push(finished(board) !== undefined);
    }
    expect(ended.length).toBeGreaterThan(0);
    expect(ended).not.toContain(false);
  });
});

describe("a safe move", () => {
  const safe = (game: string, piles: Record<string, string>) => {
    const view = viewOf(game, piles);
    const move = safeMove(view);
    return move && moveText(view.ruleset, move);
  };

  it("takes Aces and Twos home, and later cards once nothing can be placed on them", () => {
    expect(safe("klondike", { t0: "KSAH", s: "????" })).toBe("t0>f0");
    expect(safe("klondike", { f0: "AH", t0: "KS2H", s: "????" })).toBe("t0>f0");
    expect(safe("klondike", { f0: "AH2H", t0: "KS3H", s: "????" })).toBeNull();
    const black = { f1: "AS2S", f2: "AC2C" };
    expect(safe("klondike", { f0: "AH2H", ...black, t0: "KS3H" })).toBe("t0>f0");
    expect(safe("freecell", { f0: "AH2H", ...black, c0: "3H", t0: "KS" })).toBe("c0>f0");
  });

  it("needs the other red suit, whose card may have to wait on a black one", () => {
    const black = { f1: "AS2S3S", f2: "AC2C3C" };
    expect(safe("klondike", { f0: "AH2H3H4H", ...black, t0: "KS5H", f3: "AD" })).toBeNull();
    expect(safe("klondike", { f0: "AH2H3H4H", ...black, t0: "KS5H", f3: "AD2D" })).toBe("t0>f0");
  });

  it("leaves a card on the waste while it decides which others come up", () => {
    const view = viewOf("klondike", { f0: "AH", w: "8S2H", s: "????" });
    const safeIn = (variant: string, change: Partial<View> = {}) => {
      const move = safeMove({ ...view, ...change, ruleset: findRuleset("klondike", variant) });
      return move && moveText(view.ruleset, move);
    };
    expect(safeIn("standard")).toBe("w>f0");
    expect(safeIn("draw-three")).toBeNull();
    expect(safeIn("vegas-three", { redeals: 2 })).toBe("w>f0");
    const dealt = view.piles.map((pile, nth) => (nth === view.ruleset.stock ? [] : pile));
    expect(safeIn("draw-three", { piles: dealt })).toBe("w>f0");
  });

  it("does not empty a column that the rules fill", () => {
    const held = { f0: "AH", f1: "AS", f2: "AC", t1: "2H", t0: "KS", r: "??9C" };
    expect(safe("canfield", held)).toBeNull();
    expect(safe("canfield", { ...held, t1: "9S2H" })).toBe("t1>f0");
  });

  it("never comes from a foundation, nor in games whose foundations leave a choice", () => {
    expect(safe("klondike", { f0: "AH", t0: "KS" })).toBeNull();
    expect(safe("golf", { f0: "5H", t0: "6S" })).toBeNull();
    expect(safe("robert", { f0: "5H", w: "6S" })).toBeNull();
    for (const { id } of games) {
      const view = seenOf(dealSeed(findRuleset(id), new Uint8Array(32)));
      const move = safeMove(view);
      expect(move === null || legalMoves(view).some((each) => each.target === move.target)).toBe(
        true,
      );
    }
  });
});
