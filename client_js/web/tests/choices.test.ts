import { describe, expect, it } from "vitest";
import { parseMove } from "../../src/rules/notation.ts";
import { openingView } from "../src/board/opening.ts";
import { reasonWords, whyNot } from "../src/board/reasons.ts";
import { movesSaid, turnedUpSaid } from "../src/board/readers/spoken.ts";
import { ROW } from "../../src/rules/ruleset.ts";
import { markOf } from "../src/board/marks.ts";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { dealSeed } from "../../src/rules/deal.ts";
import { viewOf as seenBy } from "../../src/rules/board.ts";
import { numberOf, viewOf } from "./tables.ts";

describe("the marks of empty places", () => {
  const mark = (game: string, piles: Record<string, string>, name: string) => {
    const view = viewOf(game, piles);
    return markOf(view, numberOf(view, name));
  };

  it("show the rank with which all foundations start, once it is dealt", () => {
    expect(mark("canfield", { f0: "TS" }, "f2").rank).toBe("10");
    expect(mark("canfield", {}, "f2").rank).toBe("");
    expect(mark("klondike", {}, "f1").rank).toBe("A");
  });

  it("show the Kings of columns, whole runs, and nothing where anything or nothing goes", () => {
    expect(mark("yukon", {}, "t3").rank).toBe("K");
    expect(mark("spider", {}, "f7").rank).toBe("K–A");
    for (const [game, pile] of [
      ["freecell", "c0"],
      ["freecell", "t0"],
      ["golf", "t0"],
      ["canfield", "r0"],
    ] as const) {
      expect(mark(game, {}, pile)).toEqual({ rank: "", suits: "", turns: false });
    }
  });

  it("show that the waste can be turned over, while that is possible", () => {
    expect(mark("klondike", { w: "2S" }, "s").turns).toBe(true);
    expect(mark("klondike", {}, "s").turns).toBe(false);
    expect(mark("forty-thieves", { w: "2S" }, "s").turns).toBe(false);
  });
});

describe("the reason why a dropped card is refused", () => {
  const why = (
    game: string,
    piles: Record<string, string>,
    from: string,
    index: number,
    to: string,
  ) => {
    const view = viewOf(game, piles);
    return reasonWords(whyNot(view, { pile: numberOf(view, from), index }, numberOf(view, to)));
  };

  it("names the partner of a card that goes home in a pair", () => {
    const row = { t21: "9C", t22: "KS", t23: "QH", t0: "4D", t1: "2S" };
    expect(why("pyramid", row, "t23", 0, "t21")).toBe(
      "Only a four makes thirteen with the nine of clubs.",
    );
    for (const [from, to] of [
      ["t22", "t21"],
      ["t21", "t22"],
    ] as const) {
      expect(why("pyramid", row, from, 0, to)).toBe("A king goes home alone.");
    }
    expect(why("pyramid", row, "t23", 0, "f0")).toMatch(/^Two cards that make thirteen/);
    expect(why("pyramid", row, "t0", 0, "t21")).toBe("First clear the cards that lie on it.");
    expect(why("pyramid", row, "t21", 0, "t0")).toBe("First clear the cards that lie on it.");
  });

  it("names the cards that fit there", () => {
    expect(why("roosevelt", { t0: "7H", t1: "9C" }, "t1", 0, "t0")).toBe(
      "Only a black six goes on the seven of hearts.",
    );
    expect(why("deuces", { t0: "7H", t1: "9C" }, "t1", 0, "t0")).toBe(
      "Only a six of hearts goes on the seven of hearts.",
    );
    expect(why("robert", { f0: "KS", w: "4D" }, "w", 0, "f0")).toBe(
      "Only an ace or a queen goes on the king of spades.",
    );
    expect(why("rouge-et-noir", { t0: "??9D" }, "t0", 1, "t5")).toBe(
      "Only a king can start there.",
    );
    expect(why("roosevelt", { t0: "9D" }, "t0", 0, "f0")).toBe("Only an ace can start there.");
  });

  it("says how many cards can move", () => {
    expect(why("roosevelt", { t0: "7H6S", t1: "8C" }, "t0", 0, "t1")).toBe(
      "Only one card at a time.",
    );
    const full = { t2: "3S", t3: "4S", t4: "5H", t5: "6C", t6: "7D", t7: "8H", t8: "JC", t9: "KD" };
    expect(why("deuces", { ...full, t0: "7H6H5H", t1: "8H" }, "t0", 0, "t1")).toBe(
      "Only one card at a time.",
    );
    expect(why("deuces", { ...full, t9: "", t0: "7H6H5H", t1: "8H" }, "t0", 0, "t1")).toBe(
      "Only 2 cards at a time just now.",
    );
    expect(why("rouge-et-noir", { t0: "7H3C", t1: "8S" }, "t0", 0, "t1")).toBe(
      "Only cards in sequence move together.",
    );
  });

  it("counts free cells and columns", () => {
    const full = { t2: "2S", t3: "2H", t4: "2D", t5: "2C", t6: "AS", t7: "AH" };
    const cells = { c0: "KS", c1: "KH", c2: "KD" };
    const run = { t0: "7H6S5H4S", t1: "8C" };
    expect(why("freecell", { ...full, ...cells, ...run }, "t0", 0, "t1")).toBe(
      "Only 2 cards at a time just now.",
    );
    const more = { ...full, ...cells, ...run, c3: "KC", t7: "" };
    expect(why("freecell", more, "t0", 0, "t1")).toBe("Only 2 cards at a time just now.");
    // The empty target column does not help.
    expect(why("freecell", more, "t0", 2, "t7")).toBe("Only one card at a time.");
    expect(why("freecell", { ...run, c0: "KS" }, "t1", 0, "c0")).toBe("A cell holds one card.");
    expect(why("freecell", run, "t0", 0, "c1")).toBe("Only one card at a time.");
  });

  it("asks for a second tap before the last cell is filled", () => {
    const cells = { c0: "KS", c1: "KH", c2: "KD" };
    expect(why("freecell", { ...cells, t0: "7H" }, "t0", 0, "c3")).toBe(
      "That fills the last cell, and there’s no undo. Tap again to do it.",
    );
  });

  it("says which cards move together, and which go automatically", () => {
    expect(why("spider", { t0: "7H6S", t1: "8C" }, "t0", 0, "t1")).toBe(
      "Only cards of one suit in sequence move together.",
    );
    expect(why("spider", { t0: "KH" }, "t0", 0, "f4")).toBe(
      "A whole run from King to Ace goes there by itself.",
    );
    expect(why("canfield", { t0: "9S8H7S", t1: "9C" }, "t0", 1, "t1")).toBe(
      "The last card moves, or the whole column.",
    );
  });

  it("names the rank with which foundations start, and piles that take no card", () => {
    expect(why("canfield", { f0: "9S", t0: "5H" }, "t0", 0, "f1")).toBe(
      "Only a nine can start there.",
    );
    expect(why("canfield", { r0: "4H", t0: "5H" }, "t0", 0, "r0")).toBe("Cards don’t go there.");
    expect(why("golf", { t0: "5H", t1: "6H" }, "t0", 0, "t1")).toBe("Cards don’t go there.");
    const row = viewOf("spider", { t0: "5H", s: "????" });
    expect(reasonWords(whyNot(row, { pile: numberOf(row, "s"), index: 1 }, ROW))).toBe(
      "Put a card in every empty column first.",
    );
  });

  it("says that no card fits there", () => {
    expect(why("roosevelt", { t0: "7H", w: "2C" }, "t0", 0, "w")).toBe("Cards don’t go there.");
    expect(why("lady-betty", { t0: "7H", t1: "8H" }, "t0", 0, "t1")).toBe("Cards don’t go there.");
    expect(why("deuces", { t0: "3H", t1: "9C" }, "t1", 0, "t0")).toBe("Nothing more goes there.");
    expect(why("rouge-et-noir", { t0: "KH" }, "t0", 0, "f4")).toBe(
      "Only a whole run from King to Ace goes there.",
    );
  });
});

describe("the announcement of a move", () => {
  it("names the cards, their target, and the turned-up cards", () => {
    const before = viewOf("rouge-et-noir", { t0: "??7H6S", t1: "8C", f2: "AS", t3: "2S" });
    const say = (text: string) => movesSaid(before, parseMove(before.ruleset, text));
    expect(say("t0>t1x2")).toBe("Seven of hearts and 1 card on it to Eight of clubs.");
    expect(say("t3>f2")).toBe("Two of spades home. 2 cards on that foundation.");
    const after = viewOf("rouge-et-noir", { t0: "KD", t1: "8C7H6S", f2: "AS", t3: "2S" });
    expect(turnedUpSaid(before, after)).toBe("King of diamonds came up.");
    expect(turnedUpSaid(before, before)).toBe("");
  });

  it("reports a run that goes home automatically", () => {
    const before = viewOf("spider", { t0: "KSQSJSTS9S8S7S6S5S4S3S", t1: "9H2SAS" });
    expect(movesSaid(before, parseMove(before.ruleset, "t1>t0x2"))).toBe(
      "Two of spades and 1 card on it to Three of spades. A whole run goes home.",
    );
  });
});

describe("openingView", () => {
  it.each(games.map(({ id }) => id))("shows only the cards that every deal of %s shares", (id) => {
    const ruleset = findRuleset(id);
    const dealt = seenBy(dealSeed(ruleset, new Uint8Array(32).fill(7)));
    const opening = openingView(ruleset);
    expect(opening.piles.map(({ length }) => length)).toEqual(
      dealt.piles.map(({ length }) => length),
    );
    const faces = opening.piles.flat().filter((card) => card < 52);
    expect(faces).toHaveLength(ruleset.laidOut().size);
  });
});
