/** Hints in practice, with a responsive and an unresponsive solver. */

import { describe, expect, it } from "vitest";
import { hint } from "../../src/rules/hints.ts";
import { legalMoves } from "../../src/rules/moves.ts";
import { moveText } from "../../src/rules/notation.ts";
import { play } from "../../src/rules/play.ts";
import { UNSEEN, isDown } from "../../src/rules/cards.ts";
import { findRuleset } from "../../src/rules/catalog.ts";
import { dealSeed } from "../../src/rules/deal.ts";
import { Practice } from "../src/practice/practice.svelte.ts";
import { advised } from "../src/practice/advisor.ts";
import type { Answer, Ask } from "../src/solver/protocol.ts";
import { MemoryStorage } from "./storage.ts";

const DEALT = dealSeed(findRuleset("deuces"), new Uint8Array(32));
const MOVED = play(DEALT, legalMoves(DEALT)[0]!);
const never = () => new Promise<void>(() => undefined);

function solverThat(answers: Answer | null) {
  const asked: Ask[] = [];
  let takenBack = 0;
  const ask = (question: Ask, receive: (answer: Answer) => void) => {
    asked.push(question);
    if (answers !== null) receive(answers);
    return () => void takenBack++;
  };
  return { ask, asked, takenBack: () => takenBack };
}

describe("a hint", () => {
  it("is the solver's advice, requested without any unseen cards", async () => {
    const move = legalMoves(MOVED).at(-1)!;
    const text = moveText(MOVED.ruleset, move);
    const solver = solverThat({ kind: "advice", move: text, wins: 3, samples: 4, certain: false });
    const sure = { wins: 3, of: 4, certain: false };
    expect(await advised([DEALT, MOVED], solver, never)).toEqual({ move, sure });
    const [asked] = solver.asked;
    if (asked?.kind !== "advice") throw new Error("Advice is asked for.");
    expect(asked.been).toHaveLength(1);
    const down = MOVED.piles.flat().filter(isDown);
    expect(asked.piles.flat().filter((card) => card === UNSEEN)).toHaveLength(down.length);
    expect(asked.piles.flat().filter((card) => card !== UNSEEN && isDown(card))).toEqual([]);
    expect(solver.takenBack()).toBe(0);
  });

  it.each([
    [
      { wins: 1, samples: 1, certain: true },
      { wins: 1, of: 1, certain: true },
    ],
    [{ wins: 3, samples: 3, certain: false }, null],
    [{ wins: 0, samples: 20, certain: false }, null],
  ])("with %j reports the prospects %j", async (found, sure) => {
    const move = moveText(MOVED.ruleset, legalMoves(MOVED)[0]!);
    const solver = solverThat({ kind: "advice", move, ...found });
    expect((await advised([DEALT, MOVED], solver, never)).sure).toEqual(sure);
  });

  it("is the simple one if the solver fails or is too slow, and the question is cancelled", async () => {
    const simple = { move: hint(MOVED), sure: null };
    const slow = solverThat(null);
    expect(await advised([DEALT, MOVED], slow, () => Promise.resolve())).toEqual(simple);
    expect(slow.takenBack()).toBe(1);
    const broken = solverThat({ kind: "failed", message: "" });
    expect(await advised([DEALT, MOVED], broken, never)).toEqual(simple);
  });

  it("is dropped if the player has moved meanwhile", async () => {
    const practice = new Practice("deuces", new MemoryStorage());
    const [move] = legalMoves(practice.view);
    const given = await practice.giveHint(async (boards) => {
      practice.play(move!);
      return Promise.resolve({ move: hint(boards[0]!), sure: null });
    });
    expect([given, practice.hint, practice.hints]).toEqual([null, null, 0]);
  });
});
