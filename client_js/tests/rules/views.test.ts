/** Playing on views: predictions agree with the board, and show no unseen card. */

import { expect, test } from "vitest";
import { type Layout, applyDelta, cardsFaceDown, pileAt, viewOf } from "../../src/rules/board.ts";
import { UNSEEN, parsePile } from "../../src/rules/cards.ts";
import { findRuleset } from "../../src/rules/catalog.ts";
import { dealSeed, parseSeed } from "../../src/rules/deal.ts";
import { isLegal, legalMoves } from "../../src/rules/moves.ts";
import { moveText, parseMove, parseSeen, seenText } from "../../src/rules/notation.ts";
import { play, predict } from "../../src/rules/play.ts";
import { VARIANTS, randomSeed, seededRandom } from "./engine.ts";

const texts = (layout: Layout) => legalMoves(layout).map((move) => moveText(layout.ruleset, move));

test.each(VARIANTS)("a view of $game $variant plays like its board", ({ game, variant }) => {
  const random = seededRandom(7);
  let board = dealSeed(findRuleset(game, variant), parseSeed(randomSeed(random)));
  for (let moves = legalMoves(board); moves.length > 0 && board.moves < 50;) {
    const view = viewOf(board);
    expect(texts(view)).toEqual(texts(board));
    const move = moves[random(moves.length)]!;
    const predicted = predict(view, move);
    board = play(board, move);
    const after = viewOf(board);
    predicted.piles.forEach((pile, number) => {
      const truth = pileAt(after, number);
      expect(pile.length).toBe(truth.length);
      pile.forEach((card, at) => expect([UNSEEN, truth[at]]).toContain(card));
    });
    // Every legal move on a prediction is legal on the board.
    expect(texts(board)).toEqual(expect.arrayContaining(texts(predicted)));
    moves = legalMoves(board);
  }
});

test("a predicted deal shows an unseen card, which cannot be played until it is known", () => {
  const board = dealSeed(findRuleset("roosevelt"), parseSeed("1".repeat(64)));
  const { ruleset } = board;
  const dealt = predict(viewOf(board), parseMove(ruleset, "s>w"));
  expect(pileAt(dealt, ruleset.waste!)).toEqual([UNSEEN]);
  expect(texts(dealt).filter((move) => move.startsWith("w"))).toEqual([]);
  const twice = predict(dealt, parseMove(ruleset, "s>w"));
  expect(pileAt(twice, ruleset.waste!)).toEqual([UNSEEN, UNSEEN]);
  expect(cardsFaceDown(twice)).toBe(76);

  const put = parsePile(["9C"]);
  const shown = applyDelta(viewOf(board), {
    changes: [
      { pile: ruleset.stock, take: 1, put: [] },
      { pile: ruleset.waste!, take: 0, put },
    ],
    redeals: 0,
    moves: 1,
  });
  expect(pileAt(shown, ruleset.waste!)).toEqual(put);
  expect(cardsFaceDown(shown)).toBe(75);
});

test("nothing builds on a column with an unseen top card", () => {
  const ruleset = findRuleset("rouge-et-noir");
  const piles = ruleset.pileNames.map(() => parseSeen(""));
  piles[ruleset.tableau[0]!] = parseSeen("??9S");
  piles[ruleset.tableau[1]!] = parseSeen("TH");
  piles[ruleset.tableau[2]!] = parseSeen("8D");
  const view = { ruleset, piles, redeals: 0, moves: 0 };
  const bared = predict(view, parseMove(ruleset, "t0>t1"));
  expect(seenText(pileAt(bared, ruleset.tableau[0]!))).toBe("??");
  expect(texts(bared)).toEqual(["t2>t1"]);
});

test("turning the waste over hides its cards, and counts as a redeal", () => {
  const ruleset = findRuleset("robert");
  const view = {
    ruleset,
    piles: [parseSeen("7S"), parseSeen(""), parseSeen("2D9C")],
    redeals: 0,
    moves: 5,
  };
  expect(ruleset.pileNames).toEqual(["f0", "s", "w"]);
  const over = predict(view, parseMove(ruleset, "w>s"));
  expect(over.piles.map(seenText)).toEqual(["7S", "????", ""]);
  expect(over).toMatchObject({ redeals: 1, moves: 6 });
  expect(isLegal({ ...view, redeals: 2 }, parseMove(ruleset, "w>s"))).toBe(false);
});

test("a delta that does not fit a view is rejected", () => {
  const view = viewOf(dealSeed(findRuleset("robert"), parseSeed("1".repeat(64))));
  const delta = { changes: [{ pile: 2, take: 1, put: [] }], redeals: 0, moves: 1 };
  expect(() => applyDelta(view, delta)).toThrow("does not belong");
});
