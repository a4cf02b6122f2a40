import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Board, cardsHome, cardsNeverSeen, pileAt } from "../../src/rules/board.ts";
import { UNSEEN, parsePile, rankOf, turnedDown } from "../../src/rules/cards.ts";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { checkDeck, dealSeed } from "../../src/rules/deal.ts";
import { hint } from "../../src/rules/hints.ts";
import { isLegal, isWon, legalMoves, topOf } from "../../src/rules/moves.ts";
import { moveText, parseMove } from "../../src/rules/notation.ts";
import { play } from "../../src/rules/play.ts";
import { advise, imagined, isSame } from "../../src/solver/advice.ts";
import { type Solve, methodOf } from "../../src/solver/index.ts";
import { keyOf, knownOf } from "../../src/solver/known.ts";
import { type Random, randomFrom, shuffledBy } from "../../src/solver/random.ts";
import { safeMove } from "../../src/solver/safe.ts";
import type { Verdict } from "../../src/solver/solution.ts";
import { cases } from "../sizes.ts";
import { exhaust } from "./exhaustive.ts";

const IDS = games.map(({ id }) => id);
/** The number of sampled boards. */
const SAMPLES = 6;

/** Return a board of a game after at most so many random moves. */
function midway(game: string, random: Random, moves: number): Board {
  const seed = Uint8Array.from({ length: 32 }, () => random() & 0xff);
  let board = dealSeed(findRuleset(game), seed);
  for (let nth = 0; nth < moves; nth++) {
    const [move] = shuffledBy(random, legalMoves(board));
    if (move === undefined) break;
    board = play(board, move);
  }
  return board;
}

/** A solver that picks a random legal move, and claims that it wins. */
const dreaming: Solve = (board) => {
  const [first] = shuffledBy(
    randomFrom(board.piles.flat().reduce((sum, card) => Math.imul(sum, 31) + card, 7)),
    legalMoves(board),
  );
  const line = first ? [first] : [];
  return { verdict: "winnable", line, home: 0, most: true, proof: "", effort: 0, steps: 1 };
};

/** Return a method with this answer for both certain and sampled boards. */
const by = (solve: Solve, samples = SAMPLES) => ({
  ...{ solve, glance: (board: Board) => solve(board, 2_000), budget: 1, samples },
});

describe("a sampled board", () => {
  it.each(IDS)("is a whole pack consistent with the known cards, in %s", (game) => {
    const random = randomFrom(11);
    for (let nth = 0; nth < 20; nth += cases(5, 1)) {
      const known = knownOf(midway(game, random, nth * 5));
      const board = imagined(known, random);
      checkDeck(
        board.ruleset,
        board.piles.flat().map((card) => card & 0x3f),
      );
      known.piles.forEach((pile, at) =>
        pile.forEach((card, index) => {
          if (card !== UNSEEN) expect(board.piles[at]?.[index]).toBe(card);
        }),
      );
      expect(keyOf(board)).toBe(keyOf(known));
    }
  });

  it("has each unseen card in each place about equally often", () => {
    const known = knownOf(midway("robert", randomFrom(3), 47));
    const places = known.piles[known.ruleset.stock] ?? [];
    expect(places).toHaveLength(cardsNeverSeen(known));
    const random = randomFrom(5);
    const bottom = new Map<number, number>();
    const times = 400 * places.length;
    for (let nth = 0; nth < times; nth++) {
      const card = imagined(known, random).piles[known.ruleset.stock]?.[0] ?? -1;
      bottom.set(card, (bottom.get(card) ?? 0) + 1);
    }
    expect(bottom.size).toBe(places.length);
    // Five standard deviations.
    for (const count of bottom.values()) expect(Math.abs(count - 400)).toBeLessThan(100);
  });

  it("is known where a waste was turned over, and nowhere else", () => {
    for (const game of IDS) {
      const random = randomFrom(29);
      for (let nth = 0; nth < 30; nth += cases(6, 1)) {
        const board = midway(game, random, nth * 8);
        const unseen = knownOf(board)
          .piles.flat()
          .filter((card) => card === UNSEEN);
        expect(unseen).toHaveLength(cardsNeverSeen(board));
      }
    }
  });
});

describe("a safe move", () => {
  it("costs nothing that could come home", () => {
    const found = new Map<string, number>();
    for (const game of IDS) {
      // Few boards are decided both ways; two of them are among the first.
      for (let nth = 0; nth < cases(22, 60); nth++) {
        const board = midway(game, randomFrom(nth), 40 + nth * 3);
        const move = safeMove(knownOf(board));
        if (move === null) continue;
        const after = exhaust(play(board, move), 2_000);
        if (!after.most) continue;
        const before = exhaust(board, 2_000);
        if (!before.most) continue;
        found.set(game, (found.get(game) ?? 0) + 1);
        expect(after.home, `${moveText(board.ruleset, move)} in ${game}`).toBe(before.home);
      }
    }
    expect(found.size).toBeGreaterThan(1);
  });

  it("does not bring home the only fitting card where the stock can go before it", () => {
    const ruleset = findRuleset("golf");
    const left = new Map([
      ["t0", "6H"],
      ["t1", "5S 7S"],
      ["t2", "8D"],
      ["s", "7H"],
    ]);
    const cards = [...left.values()].flatMap((names) => parsePile(names.split(" ")));
    const top = parsePile(["5H"]);
    const home = ruleset.pack.filter((card) => !cards.includes(card) && !top.includes(card));
    const piles = ruleset.pileNames.map((name) => {
      if (name === "f0") return [...home, ...top];
      const pile = parsePile(left.get(name)?.split(" ") ?? []);
      return name === "s" ? turnedDown(pile) : pile;
    });
    const board = { ruleset, piles, redeals: 0, moves: 0 };
    const only = parseMove(ruleset, "t0>f0");
    expect(isLegal(board, only)).toBe(true);
    expect(exhaust(board, 2_000).verdict).toBe("winnable");
    expect(exhaust(play(board, only), 2_000).verdict).toBe("impossible");
    expect(safeMove(knownOf(board))).toBeNull();
  });

  it("does not take a card from the waste that decides which others come up", () => {
    const left = new Map([
      ["f0", "AH"],
      ["f1", "AS"],
      ["t0", "KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 8H"],
      ["t1", "KH QH"],
      ["t2", "JH"],
      ["t3", "TH"],
      ["t4", "9H"],
      ["t5", "7H"],
      ["t6", "6H"],
      ["w", "KC KD 2S"],
      ["s", "2H 4H 3H QD 5H"],
    ]);
    const boardOf = (variant: string, redeals = 0, piles = left): Board => {
      const ruleset = findRuleset("klondike", variant);
      const of = (name: string) => parsePile(piles.get(name)?.split(" ") ?? []);
      const shown = new Set(ruleset.pileNames.flatMap(of));
      const rest = (suit: string) =>
        [..."A23456789TJQK"]
          .flatMap((rank) => parsePile([rank + suit]))
          .filter((card) => !shown.has(card));
      const homes = new Map([..."DC"].map((suit, nth) => [`f${nth + 2}`, rest(suit)]));
      return {
        ...{ ruleset, redeals, moves: 0 },
        piles: ruleset.pileNames.map((name) =>
          name === "s" ? turnedDown(of(name)) : (homes.get(name) ?? of(name)),
        ),
      };
    };
    const safe = (board: Board) => {
      const move = safeMove(knownOf(board));
      return move && moveText(board.ruleset, move);
    };
    const board = boardOf("draw-three");
    const { solve } = methodOf(board.ruleset);
    expect(solve(board, 100_000).verdict).toBe("winnable");
    const after = play(board, parseMove(board.ruleset, "w>f1"));
    expect(solve(after, 100_000).verdict).toBe("impossible");
    expect(safe(board)).toBeNull();
    // With one card at a time, all come up anyway; likewise before the last pass.
    expect(safe(boardOf("standard"))).toBe("w>f1");
    expect(safe(boardOf("vegas-three", 2))).toBe("w>f1");
    const last = new Map([...left, ["w", "KC KD 5H QD 3H 4H 2H 2S"]]);
    last.delete("s");
    expect(safe(boardOf("draw-three", 0, last))).toBe("w>f1");
  });
});

describe("advice", () => {
  it.each(IDS)("is the same on any two boards that look the same to the player, in %s", (game) => {
    const random = randomFrom(17);
    for (let nth = 0; nth < 25; nth += cases(5, 1)) {
      const board = midway(game, random, nth * 4);
      const other = imagined(knownOf(board), random);
      const [one, two] = [board, other].map((each) => advise(knownOf(each), by(dreaming)));
      expect(two).toEqual(one);
      expect(one?.move == null || isLegal(board, one.move)).toBe(true);
    }
  });

  it("falls back to the simple hint if no line is known", () => {
    const lost: Solve = (board) => ({ ...exhaust(board, 0), verdict: "unknown", most: false });
    for (const game of IDS) {
      const board = knownOf(midway(game, randomFrom(7), 12));
      const { move, wins } = advise(board, by(lost));
      expect({ move, wins }).toEqual({ move: hint(board), wins: 0 });
    }
  });

  it.each(["roosevelt", "lady-betty"])("brings an Ace home first, in %s", (game) => {
    const random = randomFrom(41);
    let ready = 0;
    for (let nth = 0; nth < 400; nth += cases(4, 1)) {
      const known = knownOf(midway(game, random, nth % 40));
      const aces = legalMoves(known).filter(
        ({ source, target }) =>
          known.ruleset.foundations.includes(target) && rankOf(topOf(pileAt(known, source))) === 0,
      );
      const { move, samples } = advise(known, by(dreaming));
      if (aces.length === 0 || samples > 0) continue;
      ready += 1;
      expect(known.ruleset.foundations).toContain(move?.target);
    }
    expect(ready).toBeGreaterThan(cases(4, 10));
  });

  it("is the simple hint unless another move wins more, if boards have many lines", () => {
    const random = randomFrom(7);
    let board = midway("klondike", random, 12);
    while (safeMove(knownOf(board)) !== null || legalMoves(board).length < 2) {
      board = midway("klondike", random, 12);
    }
    const simple = hint(knownOf(board))!;
    const other = legalMoves(board).find((move) => !isSame(move, simple))!;
    /** Lines start with another move; the board after the simple one can be won, or not. */
    const solving = (verdict: Verdict): Solve => {
      const won = { home: 52, most: true, proof: "", effort: 0, steps: 1 };
      return (each) => ({
        ...won,
        verdict: each.moves > board.moves ? verdict : "winnable",
        line: [other],
      });
    };
    const advised = (verdict: Verdict) =>
      advise(knownOf(board), { ...by(solving(verdict)), manyLines: true });
    expect(advised("winnable")).toMatchObject({ move: simple, wins: SAMPLES });
    expect(advised("unknown")).toMatchObject({ move: other, wins: SAMPLES });
  });

  it("samples as many boards as its method says", () => {
    const known = knownOf(midway("deuces", randomFrom(2), 3));
    expect([1, 7].map((each) => advise(known, by(dreaming, each)).samples)).toEqual([1, 7]);
  });

  it("says so if it is a guess", () => {
    const known = knownOf(midway("deuces", randomFrom(2), 3));
    const lost: Solve = (board) => ({ ...exhaust(board, 0), verdict: "unknown", most: false });
    expect(advise(known, by(lost)).guess).toBe(true);
    expect(advise(known, by(dreaming)).guess).toBe(false);
  });

  it("finds the only line once all cards have been seen, and follows it", () => {
    const exhausting = { ...by(exhaust), budget: 5_000_000 };
    // Robert's second redeal: every card has been seen, and few are left.
    for (let nth = 1; nth <= 30; nth++) {
      const random = randomFrom(nth);
      let board = midway("robert", random, 0);
      const { foundations, stock } = board.ruleset;
      while (board.redeals < 2 || (board.piles[stock]?.length ?? 0) > 9) {
        const moves = legalMoves(board);
        const home = moves.find(({ target }) => foundations.includes(target));
        const other = moves.find(({ target }) => !foundations.includes(target));
        const move = (random() % 3 === 0 ? other : home) ?? other;
        if (move === undefined) break;
        board = play(board, move);
      }
      const best = exhaust(board, 100_000);
      expect(best.most).toBe(true);
      for (;;) {
        const { move } = advise(knownOf(board), exhausting);
        if (move === null) break;
        board = play(board, move);
      }
      expect(board.piles[0]).toHaveLength(best.home);
    }
  });

  it.each(IDS)("is a legal move from the deal on, with the game's method, in %s", (game) => {
    let board = midway(game, randomFrom(31), 0);
    for (let nth = 0; nth < cases(2, 8); nth++) {
      const method = { ...methodOf(board.ruleset), samples: SAMPLES };
      const { move, samples } = advise(knownOf(board), method);
      expect(samples).toBeLessThanOrEqual(SAMPLES);
      board = play(board, move!);
    }
  });

  it.each([
    ["deuces", "1"],
    ["rouge-et-noir", "1"],
  ])("is a step of a winning line once all cards of %s are seen", (game, number) => {
    const method = methodOf(findRuleset(game));
    const seed = createHash("sha256").update(`samedeal deal ${number}`).digest();
    let board = dealSeed(findRuleset(game), seed);
    const { line } = method.solve(board, 100_000);
    for (const move of line) {
      if (cardsNeverSeen(board) === 0) break;
      board = play(board, move);
    }
    while (!isWon(board)) {
      const { move, wins, certain } = advise(knownOf(board), method);
      expect({ wins, certain }).toEqual({ wins: 1, certain: true });
      board = play(board, move!);
    }
    expect(cardsHome(board)).toBe(board.ruleset.total);
  });

  it("never leads to an earlier board", () => {
    const board = midway("roosevelt", randomFrom(23), 30);
    const move = legalMoves(board)[0]!;
    const onlyThis: Solve = (each) => ({ ...dreaming(each, 0), line: [move] });
    expect(advise(knownOf(board), by(onlyThis)).move).toEqual(move);
    const been = new Set([keyOf(play(board, move))]);
    expect(advise(knownOf(board), by(onlyThis), been).wins).toBe(0);
  });
});
