import { describe, expect, it } from "vitest";
import { parseMove } from "../../src/rules/notation.ts";
import { findRuleset } from "../../src/rules/catalog.ts";
import { Guide } from "../src/table/guide/guide.svelte.ts";
import { MemoryStorage } from "./storage.ts";

const ruleset = findRuleset("roosevelt");

function playOn(guide: Guide, ...moves: string[]): Guide {
  for (const move of moves) guide.moved(ruleset, parseMove(ruleset, move));
  return guide;
}

describe("the guide of a game", () => {
  it("ends permanently after three successive moves of cards, for this game alone", () => {
    const storage = new MemoryStorage();
    const guide = playOn(new Guide("roosevelt", storage), "t0>t1", "w>f0");
    expect(guide.wanted).toBe(true);
    expect(playOn(guide, "t2>t3").wanted).toBe(false);
    guide.refused();
    expect(guide.wanted).toBe(false);
    expect(new Guide("roosevelt", storage).wanted).toBe(false);
    expect(new Guide("robert", storage).wanted).toBe(true);
  });

  it("continues the count after a reload", () => {
    const storage = new MemoryStorage();
    playOn(new Guide("roosevelt", storage), "t0>t1", "t1>t0");
    expect(playOn(new Guide("roosevelt", storage), "t0>t1").wanted).toBe(false);
  });

  it("ignores the stock's deals, and restarts the count at a refusal", () => {
    const guide = playOn(new Guide("roosevelt", new MemoryStorage()), "s>w", "s>w", "s>w", "t0>t1");
    expect(guide.wanted).toBe(true);
    playOn(guide, "t1>t0").refused();
    expect(playOn(guide, "t0>t1", "t1>t0").wanted).toBe(true);
    expect(playOn(guide, "t0>t1").wanted).toBe(false);
  });
});
