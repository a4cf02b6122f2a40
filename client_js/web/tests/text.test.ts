import { describe, expect, it } from "vitest";
import { UNSEEN, parseCard } from "../../src/rules/cards.ts";
import { findRuleset } from "../../src/rules/catalog.ts";
import { cardLabel, pileLabel, placeLabel, rowsOf } from "../src/board/readers/labels.ts";
import { clockText, dateWords, resultTime, useLanguage } from "../src/text/index.ts";
import { numberOf, viewOf } from "./tables.ts";

describe("labels for screen readers", () => {
  const view = viewOf("robert", { f0: "5S", w: "2D" });

  it("name a card, its column, and the number of cards on it", () => {
    const table = viewOf("roosevelt", { t2: "TH9C8D", s: "????" });
    const labelOf = (index: number, card: string) =>
      cardLabel(table, { card: parseCard(card), pile: numberOf(table, "t2"), index });
    expect(labelOf(2, "8D")).toBe("Eight of diamonds, column 3");
    expect(labelOf(0, "TH")).toBe("Ten of hearts, column 3, 2 cards on it");
  });

  it("describe the action of the stock, and count its cards", () => {
    const table = viewOf("roosevelt", { s: "????" });
    const stock = numberOf(table, "s");
    expect(cardLabel(table, { card: UNSEEN, pile: stock, index: 1 })).toBe("Deal");
    expect(pileLabel(table, stock)).toBe("Stock, 2 cards");
    expect(pileLabel(viewOf("roosevelt", { t2: "TH" }), numberOf(table, "t2"))).toBe(
      "Column 3, 1 card",
    );
  });

  it("say how many times the waste may be turned over", () => {
    expect(placeLabel(view, numberOf(view, "s"))).toMatch(/2 times left/);
    expect(placeLabel({ ...view, redeals: 2 }, numberOf(view, "s"))).toBe("Empty stock");
  });
});

describe("labels of peaks", () => {
  const view = viewOf("tripeaks", { t0: "??", t3: "??", t4: "9C", t9: "KS", t18: "QH", t27: "2D" });
  const label = (name: string) => {
    const pile = numberOf(view, name);
    return cardLabel(view, { card: view.piles[pile]![0]!, pile, index: 0 });
  };

  it("name the row, the place in it, and whether the card is covered", () => {
    expect(label("t4")).toBe("Nine of clubs, row 2, card 2");
    expect(label("t9")).toBe("King of spades, row 3, card 1, covered");
    expect(label("t27")).toBe("Two of diamonds, row 4, card 10");
    expect(label("t0")).toBe("Face-down card, row 1, card 1, covered");
  });

  it("group the places by row", () => {
    expect(rowsOf(view.ruleset).map(({ length }) => length)).toEqual([3, 6, 9, 10]);
    expect(rowsOf(findRuleset("golf"))).toEqual([]);
  });
});

describe("labels of the piles of other games", () => {
  const labelOf = (game: string, piles: Record<string, string>, name: string) => {
    const view = viewOf(game, piles);
    return pileLabel(view, numberOf(view, name));
  };

  it("name cells and reserves", () => {
    expect(labelOf("freecell", { c1: "5H" }, "c1")).toBe("Cell 2, 1 card");
    expect(labelOf("canfield", { r0: "????5H" }, "r0")).toBe("Reserve, 3 cards");
  });

  it("say how many cards the stock turns, and that redeals are unlimited", () => {
    const view = viewOf("canfield", { s: "??????????" });
    const stock = numberOf(view, "s");
    const dealt = (cards: string) =>
      cardLabel(viewOf("canfield", { s: cards }), { card: UNSEEN, pile: stock, index: 0 });
    expect([dealt("????????"), dealt("????"), dealt("??")]).toEqual([
      "Deal 3 cards",
      "Deal 2 cards",
      "Deal",
    ]);
    const empty = viewOf("canfield", { w: "5H" });
    expect(placeLabel(empty, stock)).toBe("Empty stock. Turn the waste over, as often as you like");
  });
});

describe("times", () => {
  it("are formatted like a clock", () => {
    expect([0, 59_999, 61_000, 3_661_000, -5].map(clockText)).toEqual([
      "0:00",
      "0:59",
      "1:01",
      "1:01:01",
      "0:00",
    ]);
    expect(resultTime(61_250)).toBe("1:01.2");
  });

  it.each(["de", "fr"] as const)("have a decimal comma in %s", async (language) => {
    await useLanguage(language);
    expect(resultTime(61_250)).toBe("1:01,2");
    await useLanguage("en");
  });

  it("are days of the UTC calendar", () => {
    expect(dateWords(20778)).toBe("Saturday, 21 November 2026");
  });
});
