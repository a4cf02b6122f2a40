import { expect, it } from "vitest";
import { legalMoves } from "../../src/rules/moves.ts";
import { lastPractised, unfinished } from "../src/app/practised/last.ts";
import { Practice } from "../src/practice/practice.svelte.ts";
import { MemoryStorage } from "./storage.ts";

it("the game played last is offered again while it can go on", () => {
  const storage = new MemoryStorage();
  expect(lastPractised(storage)).toBeNull();
  const practice = new Practice("klondike", storage);
  practice.deal("draw-three");
  // Looking at a deal is not playing it.
  expect([lastPractised(storage), unfinished(storage, "klondike")]).toEqual([null, null]);
  practice.play(legalMoves(practice.view)[0]!);
  new Practice("spider", storage);
  expect(lastPractised(storage)).toBe("klondike");
  expect(unfinished(storage, "klondike")).toEqual({ variant: "draw-three", moves: 1 });
  expect(unfinished(storage, "spider")).toBeNull();
});

it.each(["", "{", "null", "[]", '{"moves":7}', '{"moves":["s>w"],"over":true}'])(
  "nothing is offered if %s is stored",
  (text) => {
    const storage = new MemoryStorage();
    storage.setItem("samedeal.practice.robert", text);
    expect(unfinished(storage, "robert")).toBeNull();
    storage.setItem("samedeal.practised", text);
    expect(lastPractised(storage)).toBeNull();
  },
);
