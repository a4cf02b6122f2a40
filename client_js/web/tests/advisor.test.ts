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

const GIVEN = { kind: "advice", guess: false, verdict: "unknown", line: [], undos: null } as const;

describe("a hint", () => {
  it("is the solver's advice, requested without any unseen cards", async () => {
    const move = legalMoves(MOVED).at(-1)!;
    const text = moveText(MOVED.ruleset, move);
    const found = { wins: 3, samples: 4, certain: false };
    const solver = solverThat({ ...GIVEN, ...found, move: text });
    const prospects = { kind: "share", wins: 3, of: 4 };
    expect(await advised([DEALT, MOVED], solver)).toEqual({ move, prospects });
    const [asked] = solver.asked;
    if (asked?.kind !== "advice") throw new Error("Advice is asked for.");
    expect(asked).toMatchObject({ winnable: null, vain: false });
    expect(asked.layouts).toHaveLength(2);
    const down = MOVED.piles.flat().filter(isDown);
    const shown = asked.layouts.at(-1)!.piles.flat();
    expect(shown.filter((card) => card === UNSEEN)).toHaveLength(down.length);
    expect(shown.filter((card) => card !== UNSEEN && isDown(card))).toEqual([]);
    expect(solver.takenBack()).toBe(0);
  });

  it.each([
    [{ wins: 0, samples: 20, certain: false, guess: true }, { kind: "guess" }],
    [{ wins: 0, samples: 0, certain: false }, null],
    [
      { wins: 0, samples: 1, certain: true, verdict: "impossible", undos: 6 },
      { kind: "lost", undos: 6 },
    ],
    [
      { wins: 0, samples: 1, certain: true },
      { kind: "unknown", undos: null },
    ],
  ] as const)("with %j reports the prospects %j", async (found, prospects) => {
    const move = moveText(MOVED.ruleset, legalMoves(MOVED)[0]!);
    const solver = solverThat({ ...GIVEN, move, ...found });
    expect((await advised([{ ...DEALT }, MOVED], solver)).prospects).toEqual(prospects);
  });

  it("follows a line that wins without the solver, which learns where the player left it", async () => {
    const first = { ...DEALT };
    const [one, two] = [legalMoves(first)[0]!, legalMoves(MOVED)[0]!];
    const line = [moveText(first.ruleset, one), moveText(first.ruleset, two)];
    const won = { wins: 1, samples: 1, certain: true, verdict: "winnable" } as const;
    const solver = solverThat({ ...GIVEN, ...won, line, move: line[0]! });
    const win = { kind: "win" };
    expect(await advised([first], solver)).toEqual({ move: one, prospects: win });
    expect(await advised([first, MOVED], solver)).toEqual({ move: two, prospects: win });
    expect(solver.asked).toHaveLength(1);
    const left = play(MOVED, legalMoves(MOVED).at(-1)!);
    const lost = solverThat({ ...GIVEN, wins: 0, samples: 1, certain: true, move: null });
    await advised([first, MOVED, left], lost);
    await advised([first, MOVED, left, { ...left, piles: [] }], lost);
    expect(lost.asked).toMatchObject([
      { winnable: 1, vain: false },
      { winnable: 1, vain: true },
    ]);
    // Another deal has other lines.
    await advised([{ ...first }, MOVED], lost);
    expect(lost.asked).toHaveLength(3);
  });

  it("is the simple one if the solver fails, or if the question is cancelled", async () => {
    const simple = { move: hint(MOVED), prospects: { kind: "guess" } };
    const slow = solverThat(null);
    const cancelling = new AbortController();
    const given = advised([DEALT, MOVED], slow, cancelling.signal);
    cancelling.abort();
    expect(await given).toEqual(simple);
    expect(slow.takenBack()).toBe(1);
    const broken = solverThat({ kind: "failed", message: "" });
    expect(await advised([DEALT, MOVED], broken)).toEqual(simple);
  });

  it("is dropped if the player has moved meanwhile", async () => {
    const practice = new Practice("deuces", new MemoryStorage());
    const [move] = legalMoves(practice.view);
    const given = await practice.giveHint(async (boards) => {
      practice.play(move!);
      return Promise.resolve({ move: hint(boards[0]!), prospects: null });
    });
    expect([given, practice.hint, practice.hints]).toEqual([null, null, 0]);
  });
});
