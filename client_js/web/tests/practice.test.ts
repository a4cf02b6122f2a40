import { describe, expect, it } from "vitest";
import { legalMoves } from "../../src/rules/moves.ts";
import { Practice } from "../src/practice.svelte.ts";
import { MemoryStorage } from "./storage.ts";

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
    expect(again.view).toEqual({ ...opening, moves: 10 });
    again.undo();
    expect(again.view).toEqual({ ...opening, moves: 10 });
  });

  it("marks undos, and whether one covered a card that had been seen, also after a reload", () => {
    const storage = new MemoryStorage();
    const practice = new Practice("robert", storage);
    const deal = { source: practice.ruleset.stock, target: practice.ruleset.waste!, count: 1 };
    practice.play(deal);
    practice.undo();
    for (const each of [practice, new Practice("robert", storage)]) {
      expect([each.undos, each.hints, each.peeked]).toEqual([1, 0, true]);
      expect(each.view.moves).toBe(2);
    }
    practice.deal();
    expect([practice.undos, practice.peeked]).toEqual([0, false]);
  });

  it("gives a hint once on a board, stores it, and drops it with the next move", async () => {
    const storage = new MemoryStorage();
    const practice = new Practice("robert", storage);
    const move = (await practice.giveHint())!;
    expect(await practice.giveHint()).toEqual(move);
    const again = new Practice("robert", storage);
    expect([again.hint, again.hints]).toEqual([move, 1]);
    again.play(move);
    expect(again.hint).toBeNull();
    again.undo();
    expect([again.hint, again.hints]).toEqual([null, 1]);
    expect(new Practice("robert", storage).hint).toBeNull();
  });

  it("shows no stored hint that is no move of its board", async () => {
    const storage = new MemoryStorage();
    const practice = new Practice("robert", storage);
    await practice.giveHint();
    const kept = JSON.parse(storage.getItem("samedeal.practice.robert") ?? "") as object;
    const wrong = { ...kept, hint: "t0>t9", undos: -1, hints: "many" };
    storage.setItem("samedeal.practice.robert", JSON.stringify(wrong));
    const other = new Practice("robert", storage);
    expect([other.hint, other.undos, other.hints]).toEqual([null, 0, 0]);
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
