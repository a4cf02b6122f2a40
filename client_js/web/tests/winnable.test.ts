/** Winnable deals in practice: which ones are dealt, and the ones found in advance. */

import { describe, expect, it } from "vitest";
import { findRuleset } from "../../src/rules/catalog.ts";
import { dealSeed, parseSeed } from "../../src/rules/deal.ts";
import { solve } from "../../src/solver/index.ts";
import { isWished } from "../src/practice/stored.ts";
import { isFound, prepare, winnableSeed, wishWinnable } from "../src/practice/winnable/deals.ts";
import { answer } from "../src/solver/answers.ts";
import { Solver } from "../src/solver/asking.ts";
import type { Ask } from "../src/solver/protocol.ts";
import { MemoryStorage } from "./storage.ts";

const RULES = findRuleset("klondike");
const KEY = "samedeal.winnable.klondike";

/** Return a loader of the solver without a worker, and the questions that it was asked. */
function finder() {
  const asked: Ask[] = [];
  const solver = new Solver((told) => ({
    send: (ask) => {
      asked.push(ask);
      queueMicrotask(() => answer(ask, told));
    },
    end: () => undefined,
  }));
  return { asked, load: () => Promise.resolve(solver) };
}

function wishing(): MemoryStorage {
  const storage = new MemoryStorage();
  wishWinnable(storage, "klondike", true);
  return storage;
}

describe("winnable deals in practice", () => {
  it("are deals that the solver has won", async () => {
    const storage = wishing();
    const seed = (await winnableSeed(RULES, storage, finder().load)) ?? "";
    expect(solve(dealSeed(RULES, parseSeed(seed)), 100_000).verdict).toBe("winnable");
    expect([seed, "5a".repeat(32)].map((each) => isFound(storage, "klondike", each))).toEqual([
      true,
      false,
    ]);
  });

  it("are found in advance, once, and dealt once", async () => {
    const storage = wishing();
    const { asked, load } = finder();
    await prepare(RULES, storage, load);
    await prepare(RULES, storage, load);
    expect(asked).toHaveLength(1);
    // Without the solver, as in a browser that cannot load it.
    const none = () => Promise.reject(new Error("There is no solver."));
    const seed = await winnableSeed(RULES, storage, none);
    expect(seed).toMatch(/^[0-9a-f]{64}$/);
    expect(await winnableSeed(RULES, storage, none)).toBeNull();
    expect(isFound(storage, "klondike", seed ?? "")).toBe(true);
  });

  it("are found in advance for the rules that are played", async () => {
    const storage = wishing();
    const { load } = finder();
    const three = findRuleset("klondike", "draw-three");
    await prepare(RULES, storage, load);
    await prepare(three, storage, load);
    const { asked, load: again } = finder();
    await winnableSeed(three, storage, again);
    await winnableSeed(RULES, storage, again);
    expect(asked).toEqual([]);
  });

  it("are not found among deals that are lost", async () => {
    const rules = findRuleset("freecell", "one-cell");
    const seeds = ["5a".repeat(32), "5b".repeat(32)];
    const { load } = finder();
    const { game, variant, digest } = rules;
    const found = await new Promise((told) => {
      void load().then((solver) =>
        solver.ask({ kind: "deal", game, variant, rules: digest, seeds }, told),
      );
    });
    expect(found).toEqual({ kind: "deal", seed: null });
  });

  it("are no longer wished once the player turns them off, even during a search", async () => {
    const storage = wishing();
    const { load } = finder();
    const searches = [prepare(RULES, storage, load), winnableSeed(RULES, storage, load)];
    wishWinnable(storage, "klondike", false);
    await Promise.all(searches);
    expect(isWished(storage, "klondike")).toBe(false);
  });

  it.each(["", "null", "[]", '{"ready":[{"variant":"standard"},null],"dealt":7}'])(
    "survive malformed storage: %j",
    async (text) => {
      const storage = new MemoryStorage();
      storage.setItem(KEY, text);
      const { asked, load } = finder();
      expect(await winnableSeed(RULES, storage, load)).not.toBeNull();
      expect(asked).toHaveLength(1);
    },
  );
});
