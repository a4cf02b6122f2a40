import { describe, expect, it } from "vitest";
import { type View, viewOf as seenOf } from "../../src/rules/board.ts";
import { findRuleset } from "../../src/rules/catalog.ts";
import { dealSeed } from "../../src/rules/deal.ts";
import { legalMoves } from "../../src/rules/moves.ts";
import { parseMove } from "../../src/rules/notation.ts";
import { apply, play } from "../../src/rules/play.ts";
import { openingView } from "../src/board/opening.ts";
import { Narrator } from "../src/board/readers/spoken.ts";
import { viewOf } from "./tables.ts";

const FIVES = viewOf("klondike", { t0: "6D", t1: "6H5C", t2: "??KS", w: "2D", s: "????" }, 7);

/** Return the view after a move; an undo is `back`, with a later number of moves. */
function after(view: View, move: string): View {
  return seenOf(apply(view, parseMove(view.ruleset, move)));
}

function back(view: View, from: View): View {
  return { ...view, moves: from.moves + 1 };
}

/** Return the announcements of these views but the first one. */
function said(first: View, ...views: View[]): string[] {
  const narrator = new Narrator();
  narrator.next(first);
  return views.map((view) => narrator.next(view));
}

describe("the announcements of pairs", () => {
  const first = viewOf("pyramid", { t0: "KS", t1: "9C", t2: "4D", w: "2S", s: "??", f0: "KH" });

  it("name both cards, and both again when they are back", () => {
    const moved = after(first, "t1>t2");
    expect(said(first, moved, back(first, moved))).toEqual([
      "Nine of clubs and Four of diamonds home together. 3 cards on the foundation.",
      "Nine of clubs and Four of diamonds are back.",
    ]);
  });

  it("tell that the rest goes home when the table is clear", () => {
    const pair = after(first, "t1>t2");
    expect(said(pair, after(pair, "t0>f0"))[0]).toMatch(/^King of spades home\. .* other cards go/);
  });
});

describe("the announcements of a board", () => {
  it("tell a new deal, and how far a resumed game is", () => {
    expect(new Narrator().next(viewOf("klondike", { t0: "6D" }))).toBe("New deal.");
    expect(new Narrator().next(FIVES)).toBe("7 moves played, 0 cards home.");
  });

  it("tell the deal once the cards of an empty table arrive, without naming each", () => {
    const ruleset = findRuleset("klondike");
    const dealt = seenOf(dealSeed(ruleset, new Uint8Array(32)));
    const narrator = new Narrator();
    const table = openingView(ruleset);
    expect([table, dealt].map((view) => narrator.next(view))).toEqual(["", "New deal."]);
  });

  it("tell a move, and that it is undone, even if it leads back", () => {
    const moved = after(FIVES, "t1>t0");
    expect(said(FIVES, moved, back(FIVES, moved))).toEqual([
      "Five of clubs to Six of diamonds.",
      "Five of clubs back on column 2.",
    ]);
  });

  it("tell the undo of a move from before the game was resumed", () => {
    const moved = after(FIVES, "t2>t3");
    const earlier = viewOf("freecell", { t0: "6D5C", c0: "" }, 9);
    const now = viewOf("freecell", { t0: "6D", c0: "5C" }, 8);
    expect(said(now, earlier)[0]).toMatch(/column 1\.|Six of diamonds\./);
    expect(said(moved, back(FIVES, moved))).toEqual(["King of spades back on column 3."]);
  });

  it("tell the undo of dealing and of turning over the waste", () => {
    const dealt = after(FIVES, "s>w");
    expect(said(FIVES, dealt, back(FIVES, dealt)).at(-1)).toMatch(/back on stock\.$/);
    const empty = viewOf("klondike", { w: "2D3C" });
    const turned = after(empty, "w>s");
    expect(said(empty, turned, back(empty, turned)).at(-1)).toBe("The stock is the waste again.");
    const spider = seenOf(dealSeed(findRuleset("spider"), new Uint8Array(32)));
    const row = legalMoves(spider).find(({ source }) => source === spider.ruleset.stock);
    if (row === undefined) throw new Error("there is no row");
    const dealtRow = seenOf(play(spider, row));
    expect(said(spider, dealtRow, back(spider, dealtRow)).at(-1)).toBe(
      "The new row is back in the stock.",
    );
  });

  it("tell the same move again, and every undo of several", () => {
    const moved = after(FIVES, "t1>t0");
    const both = after(moved, "t2>t3");
    const all = said(FIVES, moved, both, back(moved, both), back(FIVES, both), moved);
    expect(all.slice(2)).toEqual([
      "King of spades back on column 3.",
      "Five of clubs back on column 2.",
      "Five of clubs to Six of diamonds.",
    ]);
  });

  it("tell where the game stands after any other change", () => {
    const other = viewOf("klondike", { t0: "KD", f0: "AS" }, 30);
    expect(said(FIVES, other)).toEqual(["30 moves played, 1 card home."]);
  });
});
