/** The page's questions to the solver: the worker's answers, and one question at a time. */

import { describe, expect, it } from "vitest";
import { type Board, cardsHome } from "../../src/rules/board.ts";
import { findRuleset } from "../../src/rules/catalog.ts";
import { dealSeed, parseSeed } from "../../src/rules/deal.ts";
import { legalMoves } from "../../src/rules/moves.ts";
import { moveText } from "../../src/rules/notation.ts";
import { play } from "../../src/rules/play.ts";
import type { Glance, Method } from "../../src/solver/index.ts";
import { knownOf } from "../../src/solver/known.ts";
import { answer } from "../src/solver/answers.ts";
import { type Port, Solver } from "../src/solver/asking.ts";
import type { Answer, Ask, AskAdvice, AskReview, Laid } from "../src/solver/protocol.ts";

const RULES = findRuleset("robert");
const SEED = "5a".repeat(32);
const DEALT = dealSeed(RULES, parseSeed(SEED));
const NAMED = { game: "robert", variant: "standard", rules: RULES.digest };
const ADVICE: AskAdvice = {
  ...{ kind: "advice", ...NAMED, winnable: null, vain: false },
  layouts: [laid(DEALT)],
};
const REVIEW: AskReview = { kind: "review", ...NAMED, seed: SEED, moves: [], line: null };

function laid(board: Board): Laid {
  const { piles, redeals, moves } = knownOf(board);
  return { piles, redeals, moves };
}

/** Claims for every board that its first legal move wins. */
const hopeful: Glance = (board) => ({
  ...{ verdict: "winnable", line: legalMoves(board).slice(0, 1), home: 52, most: true },
  ...{ proof: "", effort: 0, steps: 1 },
});
const HOPEFUL: Method = {
  applies: () => true,
  budget: 10,
  solve: hopeful,
  glance: hopeful,
  samples: 8,
};

function answersTo(ask: Ask, method = HOPEFUL): Answer[] {
  const answers: Answer[] = [];
  // A worker's input and output are copies.
  const send = (each: Answer) => answers.push(structuredClone(each));
  answer(structuredClone(ask), send, () => method);
  return answers;
}

describe("the worker", () => {
  it("advises a move by its text", () => {
    const moved = play(DEALT, legalMoves(DEALT)[0]!);
    const [given, ...more] = answersTo({ ...ADVICE, layouts: [laid(DEALT), laid(moved)] });
    expect(more).toEqual([]);
    expect(given).toMatchObject({ kind: "advice", wins: 8, samples: 8 });
    const texts = legalMoves(moved).map((move) => moveText(RULES, move));
    expect(texts).toContain(given?.kind === "advice" && given.move);
  });

  it("tells how many undos lead back to a board known to be winnable", () => {
    const rules = findRuleset("freecell");
    const boards = [dealSeed(rules, parseSeed(SEED))];
    for (let nth = 0; nth < 9; nth++)
      boards.push(play(boards.at(-1)!, legalMoves(boards.at(-1)!)[0]!));
    const still: Glance = (board) => ({
      ...hopeful(board),
      verdict: board.moves < 4 ? "winnable" : "impossible",
    });
    const named = { game: "freecell", variant: "standard", rules: rules.digest };
    const ask = { ...ADVICE, ...named, layouts: boards.map(laid) };
    for (const winnable of [null, 2, 3]) {
      const [given] = answersTo({ ...ask, winnable }, { ...HOPEFUL, solve: still });
      expect(given).toMatchObject({ certain: true, verdict: "impossible", undos: 6, line: [] });
    }
  });

  it("reviews the moves of a run, and reports when it is done", () => {
    const boards = [DEALT];
    const moves: string[] = [];
    for (let nth = 0; nth < 5; nth++) {
      const [move] = legalMoves(boards.at(-1)!);
      moves.push(moveText(RULES, move!));
      boards.push(play(boards.at(-1)!, move!));
    }
    const counting: Method = {
      ...HOPEFUL,
      solve: (board) => ({
        ...hopeful(board),
        ...{ verdict: "impossible", home: Math.max(cardsHome(board), 30 - board.moves) },
      }),
    };
    const answers = answersTo({ ...REVIEW, moves }, counting);
    expect(answers.map((each) => each.kind === "review" && each.done)).toEqual([
      ...answers.slice(1).map(() => false),
      true,
    ]);
    expect(answers.at(-1)).toMatchObject({
      review: { verdict: "impossible", home: 30, lost: 0, prospects: [30, 29, 28, 27, 26, 25] },
    });
  });

  it.each([
    ["unknown rules", { ...REVIEW, rules: "0000000000000000" }],
    ["an illegal move", { ...REVIEW, moves: ["w>s"] }],
  ])("answers %s as failed", (_, ask) => {
    expect(answersTo(ask)).toEqual([{ kind: "failed", message: expect.any(String) }]);
  });

  it("uses a known line", () => {
    const known = answersTo({ ...REVIEW, line: ["s>w"] }).at(-1);
    expect(known).toMatchObject({ done: true, review: { verdict: "winnable", line: ["s>w"] } });
  });

  it("reports that nothing is known of a deal its method cannot decide", () => {
    const none: Answer[] = [];
    const unsolved: Method = {
      ...HOPEFUL,
      solve: (board) => ({ ...hopeful(board), verdict: "unknown", line: [], most: false }),
    };
    answer(
      REVIEW,
      (each) => none.push(each),
      () => unsolved,
    );
    expect(none.at(-1)).toMatchObject({
      done: true,
      review: { verdict: "unknown", winnable: null, lost: null, prospects: [null] },
    });
  });
});

/** A worker that answers on request. */
class Stub implements Port {
  readonly asked: Ask[] = [];
  ended = false;
  readonly told: (answer: Answer) => void;
  readonly broke: () => void;
  constructor(told: (answer: Answer) => void, broke: () => void) {
    this.told = told;
    this.broke = broke;
  }
  send(ask: Ask): void {
    this.asked.push(ask);
  }
  end(): void {
    this.ended = true;
  }
}

function solverOfStubs() {
  const stubs: Stub[] = [];
  const solver = new Solver((told, broke) => {
    const stub = new Stub(told, broke);
    stubs.push(stub);
    return stub;
  });
  return { solver, stubs };
}

const GIVEN: Answer = {
  ...{ kind: "advice", move: "s>w", wins: 1, samples: 1, certain: true, guess: false },
  ...{ verdict: "winnable", line: ["s>w"], undos: null },
};

describe("the solver", () => {
  it("keeps its worker for the next question, once one is answered", () => {
    const { solver, stubs } = solverOfStubs();
    const got: Answer[] = [];
    for (let nth = 0; nth < 2; nth++) {
      solver.ask(ADVICE, (each) => got.push(each));
      stubs[0]?.told(GIVEN);
    }
    expect(got).toEqual([GIVEN, GIVEN]);
    expect(stubs).toHaveLength(1);
    expect(stubs[0]?.asked).toHaveLength(2);
  });

  it("cancels the current question for another one, which alone is answered", () => {
    const { solver, stubs } = solverOfStubs();
    const [first, second]: [Answer[], Answer[]] = [[], []];
    solver.ask(REVIEW, (each) => first.push(each));
    solver.ask(ADVICE, (each) => second.push(each));
    expect(first).toEqual([{ kind: "failed", message: expect.any(String) }]);
    expect([stubs.length, stubs[0]?.ended]).toEqual([2, true]);
    stubs[1]?.told(GIVEN);
    expect([first.length, second]).toEqual([1, [GIVEN]]);
  });

  it("stops for a cancelled question, and for no other one", () => {
    const { solver, stubs } = solverOfStubs();
    const got: Answer[] = [];
    const takeBack = solver.ask(REVIEW, (each) => got.push(each));
    takeBack();
    expect(stubs[0]?.ended).toBe(true);
    solver.ask(ADVICE, (each) => got.push(each));
    takeBack();
    stubs[1]?.told(GIVEN);
    expect([got, stubs[1]?.ended]).toEqual([[GIVEN], false]);
  });

  it("answers as failed when its worker breaks, and starts another one", () => {
    const { solver, stubs } = solverOfStubs();
    const got: Answer[] = [];
    solver.ask(ADVICE, (each) => got.push(each));
    stubs[0]?.broke();
    expect(got).toEqual([{ kind: "failed", message: expect.any(String) }]);
    solver.ask(ADVICE, (each) => got.push(each));
    expect(stubs).toHaveLength(2);
  });
});
