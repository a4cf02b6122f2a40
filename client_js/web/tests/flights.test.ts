import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Flights } from "../src/board/flights.ts";
import { reconcile } from "../src/board/reconcile.ts";
import { numberOf, viewOf } from "./tables.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

describe("flights", () => {
  it("deal one card per pile in turn, all within 1.2 seconds", () => {
    const view = viewOf("roosevelt", { t0: "2S3S", t1: "4S5S", s: "????" });
    const pieces = reconcile([], view);
    const flights = new Flights();
    flights.deal(pieces, numberOf(view, "s"));
    expect(flights.dealing).toBe(true);
    const at = (pile: string, index: number) => {
      const number = numberOf(view, pile);
      const piece = pieces.find((one) => one.pile === number && one.index === index);
      if (!piece) throw new Error("there is no such piece");
      const { delay, duration = 0 } = flights.of(piece);
      return { begins: delay, ends: delay + duration };
    };
    const begins = [at("t0", 0), at("t1", 0), at("t0", 1), at("t1", 1)].map((one) => one.begins);
    expect(begins).toEqual(begins.toSorted((a, b) => a - b));
    expect(new Set(begins).size).toBe(4);
    expect(at("t1", 1).ends).toBeLessThanOrEqual(1_200);
    vi.advanceTimersByTime(1_201);
    expect(flights.dealing).toBe(false);
  });

  it("are staggered for cards that go to different piles, and simultaneous for one pile", () => {
    const before = viewOf("rouge-et-noir", { t0: "KS", t1: "QH", s: "??????" });
    const first = reconcile([], before);
    const delaysTo = (piles: Record<string, string>) => {
      const view = viewOf("rouge-et-noir", piles);
      const now = reconcile(first, view);
      const flights = new Flights();
      flights.move(first, now, view.ruleset);
      const old = new Set(first.map(({ key, pile }) => `${key} ${pile}`));
      return now
        .filter(({ key, pile }) => !old.has(`${key} ${pile}`))
        .map((piece) => flights.of(piece).delay);
    };
    expect(delaysTo({ t0: "KS2C", t1: "QH3C", t2: "4C" })).toEqual([0, 35, 70]);
    expect(delaysTo({ t2: "KSQH", s: "??????" })).toEqual([0, 0]);
  });

  it("go one by one to the waste, and home after the move that completes a run", () => {
    const delays = (
      game: string,
      before: Record<string, string>,
      after: Record<string, string>,
    ) => {
      const first = reconcile([], viewOf(game, before));
      const view = viewOf(game, after);
      const flights = new Flights();
      const now = reconcile(first, view);
      flights.move(first, now, view.ruleset);
      const old = new Map(first.map(({ key, pile }) => [key, pile]));
      return now
        .filter(({ key, pile }) => old.get(key) !== pile)
        .map((piece) => [view.ruleset.pileNames[piece.pile], flights.of(piece).delay] as const);
    };
    const turned = delays("canfield", { s: "????????" }, { s: "??", w: "2S3S4S" });
    expect(turned.map(([, delay]) => delay).toSorted((a, b) => a - b)).toEqual([0, 35, 70]);
    // Turned over, they are one pile.
    const over = delays("canfield", { w: "2S3S4S" }, { s: "??????" });
    expect(new Set(over.map(([, delay]) => delay))).toEqual(new Set([0]));
    const run = "KSQSJSTS9S8S7S6S5S4S3S2SAS";
    const home = delays(
      "spider",
      { t0: run.slice(0, 24), t1: "9HAS", t2: "5D" },
      { f0: run, t1: "9H", t2: "5D" },
    );
    expect(home.map(([pile]) => pile)).toEqual(Array(13).fill("f0"));
    expect(home.map(([, delay]) => delay)).toEqual(
      Array.from({ length: 13 }, (_, nth) => nth * 35),
    );
  });

  it("are above all cards at rest, in the order of the pile", () => {
    const view = viewOf("roosevelt", { t0: "2S3S" });
    const [lower, upper] = reconcile([], view);
    const flights = new Flights();
    if (!lower || !upper) throw new Error("there are no pieces");
    expect(flights.of(upper).layer).toBeGreaterThan(flights.of(lower).layer);
    expect(flights.of(lower).layer).toBeGreaterThan(104);
  });
});
