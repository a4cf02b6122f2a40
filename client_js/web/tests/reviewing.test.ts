/** The question about a deal and a run on it, of open, closed and sealed deals. */

import { Refusal, Replay, type Run, findRuleset } from "@samedeal/client";
import { describe, expect, it } from "vitest";
import { questionOf } from "../src/solver/reviewing.svelte.ts";

const SEED = "0".repeat(64);
const ruleset = findRuleset("robert");
const run = {
  ...{ attempt: "deal.ada", deal: "deal", commitment: "", seed: SEED, game: "robert" },
  ...{ variant: "standard", rules: ruleset.digest, started: 0, deadline: 0, moves: [], ended: 0 },
  ...{ player: { id: "ada", name: "Ada", tag: "", bot: false }, end: "stuck", help: "none" },
  hints: 0,
} as unknown as Run;
const replay = new Replay(run);

const refusing = (code: string) => ({
  deal: () => Promise.reject(new Refusal(code, "No.")),
});

describe("the question about a run", () => {
  it("uses the run's own cards while others can still play the deal", async () => {
    const question = await questionOf(refusing("deal_open"), "deal", replay);
    expect(question).toMatchObject({ game: "robert", seed: SEED, moves: [], line: null });
  });

  it("is refused for other reasons, and without a run", async () => {
    await expect(questionOf(refusing("unavailable"), "deal", replay)).rejects.toThrow("No.");
    await expect(questionOf(refusing("deal_open"), "deal", null)).rejects.toThrow("No.");
  });

  it("never requests a sealed deal", async () => {
    const question = await questionOf(refusing("unavailable"), "deal", replay, true);
    expect(question.seed).toBe(SEED);
  });
});
