import { describe, expect, it } from "vitest";
import { type Board, cardsNeverSeen } from "../../src/rules/board.ts";
import { UNSEEN } from "../../src/rules/cards.ts";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { checkDeck, dealSeed } from "../../src/rules/deal.ts";
import { hint } from "../../src/rules/hints.ts";
import { isLegal, legalMoves } from "../../src/rules/moves.ts";
import { play } from "../../src/rules/play.ts";
import { advise, imagined } from "../../src/solver/advice.ts";
import type { Solve } from "../../src/solver/index.ts";
import { keyOf, knownOf } from "../../src/solver/known.ts";
import { type Random, randomFrom, shuffledBy } from "../../src/solver/random.ts";
import { exhaust } from "./exhaustive.ts";

const IDS = games.map(({ id }) => id);
const PLENTY = { now: () => 0, until: 1, budget: 2_000, samples: 6 };

/** A board of a game after so many random moves, or as many as there are. */
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

/** A solver that likes the move whose line brings most home by chance, and claims that it wins. */
const dreaming: Solve = (board) => {
  const [first] = shuffledBy(
    randomFrom(board.piles.flat().reduce((sum, card) => Math.imul(sum, 31) + card, 7)),
    legalMoves(board),
  );
  const line = first ? [first] : [];
  return { verdict: "winnable", line, home: 0, most: true, proof: "", effort: 0, steps: 1 };
};

describe("what is imagined", () => {
  it.each(IDS)("is a whole pack that agrees with what is known, in %s", (game) => {
    const random = randomFrom(11);
    for (let nth = 0; nth < 20; nth++) {
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

  it("puts each unseen card in each place about as often", () => {
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
      for (let nth = 0; nth < 30; nth++) {
        const board = midway(game, random, nth * 8);
        const unseen = knownOf(board)
          .piles.flat()
          .filter((card) => card === UNSEEN);
        expect(unseen).toHaveLength(cardsNeverSeen(board));
      }
    }
  });
});

describe("advice", () => {
  it.each(IDS)("is the same on any two boards that the player cannot tell apart, in %s", (game) => {
    const random = randomFrom(17);
    for (let nth = 0; nth < 25; nth++) {
      const board = midway(game, random, nth * 4);
      const other = imagined(knownOf(board), random);
      const [one, two] = [board, other].map((each) => advise(knownOf(each), dreaming, PLENTY));
      expect(two).toEqual(one);
      expect(one?.move == null || isLegal(board, one.move)).toBe(true);
    }
  });

  it("gives way to the simple hint where no line is known", () => {
    const lost: Solve = (board) => ({ ...exhaust(board, 0), verdict: "unknown", most: false });
    for (const game of IDS) {
      const board = knownOf(midway(game, randomFrom(7), 12));
      const { move, wins } = advise(board, lost, PLENTY);
      expect({ move, wins }).toEqual({ move: hint(board), wins: 0 });
    }
  });

  it("stops when its time is over, after one board at least", () => {
    const known = knownOf(midway("deuces", randomFrom(2), 3));
    const samples = (until: number) => {
      let time = 0;
      const limits = { now: () => (time += 10), until, budget: 1, samples: 1000 };
      return advise(known, dreaming, limits).samples;
    };
    expect([samples(0), samples(45)]).toEqual([1, 5]);
  });

  it("knows the only line where all cards have been seen, and follows it", () => {
    // The second redeal of Robert: everything has been seen, and what is left is few cards.
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
        const { move } = advise(knownOf(board), exhaust, { ...PLENTY, budget: 100_000 });
        if (move === null) break;
        board = play(board, move);
      }
      expect(board.piles[0]).toHaveLength(best.home);
    }
  });

  it("leads to no board that there was before", () => {
    const board = midway("roosevelt", randomFrom(23), 30);
    const move = legalMoves(board)[0]!;
    const onlyThis: Solve = (each) => ({ ...dreaming(each, 0), line: [move] });
    expect(advise(knownOf(board), onlyThis, PLENTY).move).toEqual(move);
    const been = new Set([keyOf(play(board, move))]);
    expect(advise(knownOf(board), onlyThis, PLENTY, been).wins).toBe(0);
  });
});
