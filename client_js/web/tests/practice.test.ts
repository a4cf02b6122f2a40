import { describe, expect, it } from "vitest";
import { legalMoves } from "../../src/rules/moves.ts";
import { hintMove } from "../src/board/choices.ts";
import { Practice } from "../src/practice.svelte.ts";
import { MemoryStorage } from "./storage.ts";
import { viewOf } from "./tables.ts";
import { moveText } from "../../src/rules/notation.ts";

function playSome(practice: Practice, count: number): void {
  for (let nth = 0; nth < count; nth++) {
    const [move] = legalMoves(practice.view);
    if (move) practice.play(move);
  }
}

describe("practice", () => {
  it("resumes after a reload, and undoes moves one by one", () => {
    const storage = new MemoryStorage();
    const practice = new Practice("roosevelt", storage);
    const opening = practice.view;
    expect(practice.begun).toBe(false);
    playSome(practice, 5);
    // Two reloads without a move between them.
    new Practice("roosevelt", storage);
    const again = new Practice("roosevelt", storage);
    expect(again.view).toEqual(practice.view);
    for (let nth = 0; nth < 5; nth++) again.undo();
    expect(again.view).toEqual(opening);
    again.undo();
    expect(again.view).toEqual(opening);
  });

  it("shows no face-down card", () => {
    const { view } = new Practice("rouge-et-noir", new MemoryStorage());
    expect(view.piles.flat().filter((card) => card < 52)).toHaveLength(9);
  });

  it("deals other cards with `deal`, and the same ones with `restart`", () => {
    const practice = new Practice("deuces", new MemoryStorage());
    const opening = practice.view;
    playSome(practice, 3);
    practice.restart();
    expect(practice.view).toEqual(opening);
    practice.deal();
    expect(practice.view.piles).not.toEqual(opening.piles);
  });

  it("plays no illegal move", () => {
    const practice = new Practice("robert", new MemoryStorage());
    expect(practice.play({ source: 0, target: 1, count: 1 })).toBe(false);
    expect(practice.begun).toBe(false);
  });

  it.each(["", "{", "null", "[]", '{"seed":"x","moves":[]}', '{"seed":7}'])(
    "deals a new game if %s is stored",
    (text) => {
      const storage = new MemoryStorage();
      storage.setItem("samedeal.practice.robert", text);
      expect(new Practice("robert", storage).view.piles.flat()).toHaveLength(52);
    },
  );

  it("keeps the stored moves up to the first illegal one", () => {
    const storage = new MemoryStorage();
    const seed = "ab".repeat(32);
    storage.setItem(
      "samedeal.practice.roosevelt",
      JSON.stringify({ seed, moves: ["s>w", "w>f7", "s>w"] }),
    );
    expect(new Practice("roosevelt", storage).view.moves).toBe(1);
  });

  it("uses the rules with which a game was started, and reports if they are unknown", () => {
    const storage = new MemoryStorage();
    const practice = new Practice("robert", storage);
    playSome(practice, 3);
    const kept = storage.getItem("samedeal.practice.robert") ?? "";
    const { rules, ...unnamed } = JSON.parse(kept) as { rules: string };
    expect(rules).toBe(practice.ruleset.digest);
    // As release 0.1.0 stored it.
    storage.setItem("samedeal.practice.robert", JSON.stringify(unnamed));
    const old = new Practice("robert", storage);
    expect([old.lost, old.view]).toEqual([false, practice.view]);
    storage.setItem(
      "samedeal.practice.robert",
      JSON.stringify({ ...unnamed, rules: "0".repeat(16) }),
    );
    const other = new Practice("robert", storage);
    expect([other.lost, other.begun]).toEqual([true, false]);
    expect(new Practice("robert", storage).lost).toBe(false);
  });
});

describe("a hint", () => {
  const hint = (game: string, piles: Record<string, string>) => {
    const view = viewOf(game, piles);
    const move = hintMove({ view, moves: legalMoves(view) });
    return move && moveText(view.ruleset, move);
  };

  it("prefers moves home, then those that turn a card up, then builds, then the stock", () => {
    expect(hint("roosevelt", { t0: "7H", t1: "6S", t2: "AS", s: "??" })).toBe("t2>f0");
    const open = { t0: "??6S", t1: "7H", t2: "5D", t3: "9C", s: "??" };
    expect(hint("rouge-et-noir", open)).toBe("t0>t1");
    expect(hint("roosevelt", { t0: "KC7H", t1: "2S9D6S", s: "??" })).toBe("t1>t0");
    expect(hint("roosevelt", { t0: "KC", t1: "9S", s: "??" })).toBe("s>w");
  });

  it("does not move a card that is well placed to an equal place", () => {
    const view = {
      t0: "8S7H",
      t1: "8C",
      t2: "KD",
      t3: "KH",
      t4: "KS",
      t5: "KC",
      t6: "QD",
      s: "??",
    };
    expect(hint("roosevelt", view)).not.toBe("t0>t1");
  });

  it("is undefined if there is no legal move", () => {
    expect(hint("roosevelt", { t0: "KC" })).toBeUndefined();
  });
});
