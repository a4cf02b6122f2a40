/** Leaving and restarting practice deals: what can be brought back, and what counts. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Player } from "../../src/messages.ts";
import { legalMoves } from "../../src/rules/moves.ts";
import { parseMove } from "../../src/rules/notation.ts";
import { Store } from "../../src/store.ts";
import { figuresOf } from "../src/app/practised/figures.ts";
import { beginPractice } from "../src/practice/beginning.ts";
import { Practice } from "../src/practice/practice.svelte.ts";
import { settle } from "../src/practice/settling.ts";
import { sharedDeck } from "../src/practice/sharing.ts";
import { MemoryStorage } from "./storage.ts";

const WON = JSON.parse(
  readFileSync(new URL("../../../tests/browser/won.json", import.meta.url), "utf8"),
) as { readonly seed: string; readonly moves: readonly string[] };

/** A guest, whose statistics stay in this browser. */
const GUEST = {
  client: { player: new Store<Player | null>(null), account: () => Promise.reject(new Error()) },
  kept: { known: false },
};

function playSome(practice: Practice, count: number): void {
  for (let nth = 0; nth < count; nth++) practice.play(legalMoves(practice.view)[0]!);
}

function played(storage: MemoryStorage, moves = 3): Practice {
  const practice = new Practice("klondike", storage);
  practice.deal("draw-three");
  playSome(practice, moves);
  return practice;
}

/** Return a deal of Lady Betty before its last move, which wins it. */
function nearlyWon(storage: MemoryStorage): Practice {
  const deal = { seed: WON.seed, moves: WON.moves.slice(0, -1), elapsed: 60_000 };
  storage.setItem("samedeal.practice.lady-betty", JSON.stringify(deal));
  return new Practice("lady-betty", storage);
}

function win(practice: Practice): void {
  expect(practice.play(parseMove(practice.ruleset, WON.moves.at(-1)!))).toBe(true);
  expect(practice.end).toBe("won");
}

describe("a new deal", () => {
  it("keeps the variant, and can be undone until a move is played", () => {
    const storage = new MemoryStorage();
    const practice = played(storage);
    const { seed, view } = practice;
    practice.watch.advance(5_000);
    practice.deal();
    expect(practice.ruleset.variant).toBe("draw-three");
    expect(practice.seed).not.toBe(seed);
    // Another deal, and a reload, keep it.
    practice.deal();
    const again = new Practice("klondike", storage);
    expect([again.begun, again.canUndo]).toEqual([false, true]);
    again.undo();
    expect([again.seed, again.view, again.canUndo]).toEqual([seed, view, true]);
    expect([again.watch.elapsed, again.undos]).toEqual([5_000, 0]);
    expect(figuresOf(storage, "klondike").size).toBe(0);
  });

  it("uses the standard rules if the variant is no longer offered", () => {
    const storage = new MemoryStorage();
    const practice = new Practice("klondike", storage);
    const { ruleset } = practice;
    const gone = Object.create(ruleset, { variant: { value: "gone" } }) as typeof ruleset;
    practice.ruleset = gone;
    practice.deal();
    expect(practice.ruleset.variant).toBe("standard");
  });

  it("counts the one before as lost once a move is played", () => {
    const storage = new MemoryStorage();
    const practice = played(storage);
    practice.deal("standard");
    expect(practice.unsettled).toBe(false);
    playSome(practice, 1);
    expect(practice.unsettled).toBe(true);
    // The page was closed before it was counted.
    const again = new Practice("klondike", storage);
    expect(again.unsettled).toBe(true);
    settle(again, storage, GUEST);
    expect([again.unsettled, again.previous]).toEqual([false, null]);
    again.undo();
    expect(again.canUndo).toBe(false);
    const counted = figuresOf(storage, "klondike");
    expect([...counted.keys()]).toEqual(["draw-three"]);
    expect(counted.get("draw-three")).toMatchObject({ played: 1, won: 0 });
  });

  it("by a link brings the replaced deal back, too", () => {
    const storage = new MemoryStorage();
    const { seed } = played(storage);
    const deal = { seed: "ab".repeat(32), moves: [] };
    expect(beginPractice({ game: "klondike", deal }, storage, true)).toBe(0);
    const practice = new Practice("klondike", storage);
    expect(practice.seed).toBe(deal.seed);
    practice.undo();
    expect(practice.seed).toBe(seed);
  });
});

describe("a restarted deal", () => {
  it("can be undone, and does not count as lost", () => {
    const storage = new MemoryStorage();
    const practice = played(storage);
    const { seed, view } = practice;
    practice.restart();
    expect([practice.seed, practice.begun]).toEqual([seed, false]);
    practice.undo();
    expect(practice.view).toEqual(view);
    practice.restart();
    playSome(practice, 1);
    settle(practice, storage, GUEST);
    expect(figuresOf(storage, "klondike").size).toBe(0);
  });

  it("counts once, however often it is won or left", () => {
    const storage = new MemoryStorage();
    const practice = nearlyWon(storage);
    win(practice);
    settle(practice, storage, GUEST);
    const first = figuresOf(storage, "lady-betty").get("standard");
    expect(first).toMatchObject({ played: 1, won: 1, time: 60_000, moves: WON.moves.length });
    practice.restart();
    expect(practice.previous).toBeNull();
    playSome(practice, 2);
    expect(practice.unsettled).toBe(false);
    practice.deal();
    playSome(practice, 1);
    settle(practice, storage, GUEST);
    expect(figuresOf(storage, "lady-betty").get("standard")).toEqual(first);
  });
});

it("a deal can be shared as its cards", () => {
  const practice = played(new MemoryStorage(), 0);
  const deck = sharedDeck(practice);
  const storage = new MemoryStorage();
  const deal = { seed: deck, moves: [], variant: "draw-three", beat: { time: 9, moves: 7 } };
  beginPractice({ game: "klondike", deal }, storage);
  const other = new Practice("klondike", storage);
  expect(other.view.piles).toEqual(practice.view.piles);
  expect(other.beat).toEqual({ time: 9, moves: 7 });
  expect(sharedDeck(other)).toBe(deck);
});

it("time runs from the first tick, and is kept", () => {
  const storage = new MemoryStorage();
  const practice = played(storage, 1);
  for (const now of [1_000, 1_250, 1_500]) practice.watch.tick(now);
  playSome(practice, 1);
  expect(new Practice("klondike", storage).watch.elapsed).toBe(500);
});
