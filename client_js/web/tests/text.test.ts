import { describe, expect, it } from "vitest";
import { parseCard } from "../../src/rules/cards.ts";
import { cardLabel, clockText, dateWords, placeLabel, resultTime } from "../src/text.ts";
import { numberOf, viewOf } from "./tables.ts";

describe("what a screen reader says", () => {
  const view = viewOf("robert", { f0: "5S", w: "2D" });

  it("names a card and its pile", () => {
    const table = viewOf("roosevelt", { t2: "TH", s: "????" });
    const card = { card: parseCard("TH"), pile: numberOf(table, "t2"), index: 0 };
    expect(cardLabel(table, card)).toBe("Ten of hearts, pile 3");
  });

  it("counts the stock", () => {
    const table = viewOf("lady-betty", { s: "??AS" });
    const card = { card: parseCard("AS"), pile: numberOf(table, "s"), index: 1 };
    expect(cardLabel(table, card)).toBe("Ace of spades, stock, 2 cards");
  });

  it("says how often the waste may be turned over", () => {
    expect(placeLabel(view, numberOf(view, "s"))).toMatch(/2 times left/);
    expect(placeLabel({ ...view, redeals: 2 }, numberOf(view, "s"))).toBe("Empty stock");
  });
});

describe("times", () => {
  it("are written as on a clock", () => {
    expect([0, 59_999, 61_000, 3_661_000, -5].map(clockText)).toEqual([
      "0:00",
      "0:59",
      "1:01",
      "1:01:01",
      "0:00",
    ]);
    expect(resultTime(61_250)).toBe("1:01.2");
  });

  it("are days of the UTC calendar", () => {
    expect(dateWords(20778)).toBe("Saturday, 21 November 2026");
  });
});
