import { describe, expect, it } from "vitest";
import { cardName } from "../../src/rules/cards.ts";
import type { View } from "../../src/rules/board.ts";
import { type Piece, reconcile } from "../src/board/reconcile.ts";
import { numberOf, viewOf } from "./tables.ts";

const at = (pieces: readonly Piece[], view: View, name: string, index: number): Piece => {
  const pile = numberOf(view, name);
  const found = pieces.find((piece) => piece.pile === pile && piece.index === index);
  if (found === undefined) throw new Error(`nothing lies at ${name}.${index}`);
  return found;
};

describe("reconcile", () => {
  it("makes one piece per card, each with its own key", () => {
    const pieces = reconcile([], viewOf("roosevelt", { t0: "KSQH", s: "????" }));
    expect(pieces.map(({ card }) => cardName(card))).toEqual(["KS", "QH", "??", "??"]);
    expect(new Set(pieces.map(({ key }) => key)).size).toBe(4);
  });

  it("keeps the same objects for unchanged pieces", () => {
    const view = viewOf("roosevelt", { t0: "KSQH", t1: "3C" });
    const before = reconcile([], view);
    const after = reconcile(before, viewOf("roosevelt", { t0: "KS", t1: "3C", t2: "QH" }));
    expect(at(after, view, "t0", 0)).toBe(at(before, view, "t0", 0));
    expect(at(after, view, "t2", 0).key).toBe(at(before, view, "t0", 1).key);
  });

  it("turns the uncovered card up in its place, even if it equals the card that left", () => {
    const view = viewOf("rouge-et-noir", { t0: "??TH", t1: "JS" });
    const before = reconcile([], view);
    const after = reconcile(before, viewOf("rouge-et-noir", { t0: "TH", t1: "JSTH" }));
    expect(at(after, view, "t0", 0).key).toBe(at(before, view, "t0", 0).key);
    expect(at(after, view, "t1", 1).key).toBe(at(before, view, "t0", 1).key);
  });

  it("deals a row from the top of the stock", () => {
    const view = viewOf("rouge-et-noir", { t0: "KS", s: "??????" });
    const before = reconcile([], view);
    const after = reconcile(before, viewOf("rouge-et-noir", { t0: "KSQH", t1: "3C", s: "??" }));
    expect(at(after, view, "t0", 1).key).toBe(at(before, view, "s", 2).key);
    expect(at(after, view, "t1", 0).key).toBe(at(before, view, "s", 1).key);
  });

  it("turns the waste over, so that its top card is the bottom of the stock", () => {
    const view = viewOf("robert", { w: "2D3D4D" });
    const before = reconcile([], view);
    const after = reconcile(before, viewOf("robert", { s: "??????" }));
    expect(at(after, view, "s", 0).key).toBe(at(before, view, "w", 2).key);
    expect(at(after, view, "s", 2).key).toBe(at(before, view, "w", 0).key);
  });

  it("fills a column from the stock, and keeps the key of the card that left", () => {
    const view = viewOf("deuces", { t0: "3S", f0: "2S", s: "????" });
    const before = reconcile([], view);
    const predicted = reconcile(before, viewOf("deuces", { t0: "??", f0: "2S3S", s: "??" }));
    expect(at(predicted, view, "f0", 1).key).toBe(at(before, view, "t0", 0).key);
    expect(at(predicted, view, "t0", 0).key).toBe(at(before, view, "s", 1).key);
    const known = reconcile(predicted, viewOf("deuces", { t0: "9C", f0: "2S3S", s: "??" }));
    expect(at(known, view, "t0", 0).key).toBe(at(predicted, view, "t0", 0).key);
  });

  it("never shows another face on a piece with a known card", () => {
    const before = reconcile([], viewOf("roosevelt", { t0: "KS" }));
    const after = reconcile(before, viewOf("roosevelt", { t0: "QH" }));
    expect(after[0]?.key).not.toBe(before[0]?.key);
  });
});
