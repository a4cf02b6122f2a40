import { describe, expect, it } from "vitest";
import { viewOf as seenOf } from "../../src/rules/board.ts";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { dealSeed } from "../../src/rules/deal.ts";
import { Ruleset } from "../../src/rules/ruleset.ts";
import type { Rules } from "../../src/rules/schema.ts";
import { layOut, pilesUnder } from "../src/board/layout.ts";
import type { BoardLayout } from "../src/board/places/boxes.ts";
import { cornerOf } from "../src/cards/corners.ts";
import { isSmall } from "../src/cards/index.ts";
import type { Hand } from "../src/app/settings.svelte.ts";
import { numberOf, viewOf } from "./tables.ts";

const SIZES = [
  { width: 360, height: 600 },
  { width: 390, height: 740 },
  { width: 768, height: 900 },
  { width: 844, height: 300 },
  { width: 1280, height: 720 },
  { width: 2560, height: 1300 },
  // An upright tablet, below the track of a race of eight.
  { width: 768, height: 820 },
] as const;
const TALL = SIZES.filter(({ width, height }) => height > width);
const WIDE = SIZES.filter(({ width, height }) => height < width);
const HANDS: readonly Hand[] = ["left", "right"];

const casesOf = (sizes: readonly { width: number; height: number }[]) =>
  games.flatMap(({ id }) => sizes.flatMap((size) => HANDS.map((hand) => ({ id, hand, ...size }))));
const deals = ({ id }: { id: string }) => findRuleset(id).rules.stock.plays.length > 0;
const hasPeaks = ({ id }: { id: string }) => findRuleset(id).peaks !== null;
const hasColumns = (each: { id: string }) => !hasPeaks(each);

const FILLED = {
  ...{ s: "????", w: "2D3D4D5D", f0: "2S3S4S5S" },
  ...{ r0: `${"??".repeat(12)}5H`, c0: "6H", c3: "7H" },
};
const LONG = "KSQHJSTH9S8H7S6H5S4H3S2HASKSQHJSTH9S8H7S6H5S";

describe("layOut", () => {
  it.each(casesOf(SIZES))(
    "keeps $id within $width by $height, $hand-handed",
    ({ id, hand, width, height }) => {
      const piles = { t0: `????????${LONG}`, ...FILLED };
      const layout = layOut(viewOf(id, piles), width, height, hand);
      expect(layout.cardWidth).toBeGreaterThan(20);
      for (const { place, cards } of layout.piles) {
        for (const { x, y } of [place, ...cards]) {
          expect(x).toBeGreaterThanOrEqual(0);
          expect(y).toBeGreaterThanOrEqual(0);
          expect(x + place.width).toBeLessThanOrEqual(width + 0.5);
          // The window's edge may cut the top card of a long column.
          const least = height > width ? place.height : Math.min(place.height, 24);
          expect(y + least).toBeLessThanOrEqual(height + 1);
        }
      }
    },
  );

  it.each(casesOf(SIZES).filter(hasColumns))(
    "overlaps no two piles of $id in $width by $height, $hand-handed",
    ({ id, hand, width, height }) => {
      const piles = { ...FILLED, t0: LONG, t1: LONG };
      const boxes = layOut(viewOf(id, piles), width, height, hand).piles.flatMap(
        ({ place, cards }, pile) =>
          [place, ...cards].map((at) => ({ ...place, x: at.x, y: at.y, pile })),
      );
      for (const [nth, a] of boxes.entries()) {
        for (const b of boxes.slice(nth + 1)) {
          if (a.pile === b.pile) continue;
          const apart =
            Math.abs(a.x - b.x) >= a.width || a.y + a.height <= b.y || b.y + b.height <= a.y;
          expect(apart || Math.abs(a.x - b.x) >= b.width).toBe(true);
        }
      }
    },
  );

  it.each(casesOf(TALL).filter(deals))(
    "puts the stock of $id within reach of the $hand thumb in $width by $height",
    ({ id, hand, width, height }) => {
      const view = viewOf(id, {});
      const { piles, actions } = layOut(view, width, height, hand);
      const stock = piles[view.ruleset.stock]?.place;
      if (!stock || !actions) throw new Error("there is no dock");
      expect(stock.y + stock.height).toBeGreaterThan(height * 0.97);
      expect(stock.x + stock.width / 2 > width / 2).toBe(hand === "right");
      // There is room for two buttons next to stock and waste.
      expect(actions.width).toBeGreaterThanOrEqual(88);
      expect(actions.height).toBeGreaterThanOrEqual(88);
    },
  );

  it.each(casesOf(SIZES).filter((each) => !deals(each)))(
    "has no place for the missing stock of $id in $width by $height",
    ({ id, hand, width, height }) => {
      const view = viewOf(id, {});
      const layout = layOut(view, width, height, hand);
      const stock = layout.piles[view.ruleset.stock];
      expect(stock?.place).toMatchObject({ width: 0, height: 0 });
      expect(pilesUnder(layout, { x: 0, y: 0, width, height })).not.toContain(view.ruleset.stock);
      if (height < width) return;
      // The actions are a line of buttons below the columns.
      expect(layout.actions?.width).toBeGreaterThanOrEqual(width * 0.9);
      expect(layout.actions?.height).toBeGreaterThanOrEqual(44);
    },
  );

  it.each(casesOf(TALL).filter(hasColumns))(
    "keeps the rank of each of 19 cards of $id legible in $width by $height",
    ({ id, hand, width, height }) => {
      const view = viewOf(id, { t0: `${"??".repeat(6)}${LONG.slice(0, 26)}` });
      const layout = layOut(view, width, height, hand);
      const column = layout.piles[view.ruleset.tableau[0] ?? -1];
      if (column === undefined || width >= 700) return;
      const [above, last] = column.cards.slice(-2);
      // Deuces has two rows of columns, which stay short.
      const least = id === "deuces" ? 8 : 15;
      expect((last?.y ?? 0) - (above?.y ?? 0)).toBeGreaterThanOrEqual(least);
    },
  );

  it("puts cells on the left of the foundations, above the columns, all in line", () => {
    for (const { width, height } of [SIZES[0], SIZES[1], SIZES[4]]) {
      const view = viewOf("freecell", {});
      const { foundations, cells, tableau } = view.ruleset;
      const { piles } = layOut(view, width, height, "right");
      const lefts = (numbers: readonly number[]) => numbers.map((pile) => piles[pile]?.place.x);
      expect([...lefts(cells), ...lefts(foundations)]).toEqual(lefts(tableau));
    }
  });

  it("shows the number of cards in a reserve, and its whole last card", () => {
    for (const { width, height } of SIZES) {
      const view = viewOf("canfield", FILLED);
      const found = layOut(view, width, height, "right").piles[numberOf(view, "r0")];
      const ys = found?.cards.map(({ y }) => y) ?? [];
      expect(new Set(ys).size).toBe(13);
      expect(ys).toEqual(ys.toSorted((a, b) => a - b));
    }
  });

  it.each(casesOf(WIDE).filter((each) => each.id !== "robert" && hasColumns(each)))(
    "aligns the piles of $id to one grid in $width by $height, $hand-handed",
    ({ id, hand, width, height }) => {
      const view = viewOf(id, {});
      const { piles } = layOut(view, width, height, hand);
      const columns = view.ruleset.tableau.map((pile) => piles[pile]?.place.x ?? 0);
      const step = (columns[1] ?? 0) - (columns[0] ?? 0);
      for (const { place } of piles.filter(({ place: { width: wide } }) => wide > 0)) {
        const off = (place.x - (columns[0] ?? 0)) / step;
        expect(Math.abs(off - Math.round(off)) * step).toBeLessThanOrEqual(2);
      }
    },
  );

  it.each(casesOf(SIZES))(
    "shows rank and suit of the waste's last cards in $id in $width by $height",
    ({ id, hand, width, height }) => {
      const view = viewOf(id, { w: "2D3D4D5D6D" });
      const { waste } = view.ruleset;
      if (waste === null) return;
      const found = layOut(view, width, height, hand).piles[waste];
      const [first, second, third] = found?.cards.slice(-3) ?? [];
      if (!found || !first || !second || !third) throw new Error("there is no waste");
      for (const [a, b] of [
        [first, second],
        [second, third],
      ] as const) {
        const across = (b.x - a.x) / found.place.width;
        const down = (b.y - a.y) / found.place.height;
        const least = isSmall(found.size)
          ? { across: 0.5, down: 0.35 }
          : { across: 0.24, down: 0.22 };
        expect(across >= least.across || down >= least.down).toBe(true);
      }
    },
  );

  it("narrows a fan only if it is too long", () => {
    const short = viewOf("rouge-et-noir", { t0: "KSQH" });
    const long = viewOf("rouge-et-noir", { t0: LONG });
    const stepOf = (view: typeof short) => {
      const cards = layOut(view, 360, 640, "right").piles[numberOf(view, "t0")]?.cards ?? [];
      return (cards[1]?.y ?? 0) - (cards[0]?.y ?? 0);
    };
    expect(stepOf(long)).toBeLessThan(stepOf(short));
    expect(stepOf(long)).toBeGreaterThan(8);
  });

  it("makes cards as large as the space permits", () => {
    const widthOf = (id: string, width: number, height: number) => {
      const view = viewOf(id, {});
      const layout = layOut(view, width, height, "right");
      return tableauWidth(layout, view.ruleset.tableau[0]);
    };
    expect(widthOf("rouge-et-noir", 360, 640)).toBeGreaterThanOrEqual(32);
    // Short columns are in two rows.
    expect(widthOf("deuces", 390, 740)).toBeGreaterThanOrEqual(68);
    expect(widthOf("deuces", 1440, 840)).toBeGreaterThanOrEqual(110);
    expect(widthOf("rouge-et-noir", 2560, 1380)).toBeGreaterThanOrEqual(220);
    expect(widthOf("tripeaks", 360, 600)).toBeGreaterThanOrEqual(33);
    expect(widthOf("pyramid", 360, 600)).toBeGreaterThanOrEqual(46);
    expect(widthOf("tripeaks", 844, 300)).toBeGreaterThanOrEqual(64);
    expect(widthOf("pyramid", 1440, 840)).toBeGreaterThanOrEqual(140);
  });

  function tableauWidth(layout: BoardLayout, pile: number | undefined): number {
    return layout.piles[pile ?? -1]?.place.width ?? 0;
  }

  it("does not move a column when another one gets cards", () => {
    const before = layOut(viewOf("roosevelt", { t0: "KS" }), 390, 740, "right");
    const after = layOut(viewOf("roosevelt", { t0: LONG }), 390, 740, "right");
    expect(after.piles.map(({ place }) => place)).toEqual(before.piles.map(({ place }) => place));
  });
});

describe.each(casesOf(SIZES).filter(hasPeaks))(
  "the peaks of $id in $width by $height, $hand-handed",
  ({ id, width, height, hand }) => {
    const { deal } = findRuleset(id).rules.tableau!;
    const view = viewOf(id, {
      ...Object.fromEntries(deal.map((_, nth) => [`t${nth}`, "9C"])),
      ...{ s: "????", w: id === "pyramid" ? "2D3D4D" : "", f0: "2S3S4S" },
    });
    const { tableau, coveredBy } = view.ruleset;
    const { piles } = layOut(view, width, height, hand);
    const boxes = piles.flatMap(({ place, cards }, pile) =>
      cards.map((at) => ({ ...place, ...at, pile })),
    );

    it("cover a card by half of each of two others, and no other pile", () => {
      for (const [nth, a] of boxes.entries()) {
        for (const b of boxes.slice(nth + 1)) {
          const aside = a.width - Math.abs(a.x - b.x);
          const across = Math.min(a.y, b.y) + a.height - Math.max(a.y, b.y);
          if (a.pile === b.pile || aside <= 0 || across <= 0) continue;
          // What the next row leaves visible of a card, the one after it does not reach.
          const [cover] = coveredBy[a.pile] ?? [];
          if (b.y > (piles[cover ?? -1]?.place.y ?? Infinity)) continue;
          expect(coveredBy[a.pile]).toContain(b.pile);
          expect(b.y).toBeGreaterThan(a.y);
          expect(aside / a.width).toBeGreaterThan(0.42);
          expect(aside / a.width).toBeLessThanOrEqual(0.5);
        }
      }
    });

    it("leave rank and suit of each card visible, and enough of a free one for a finger", () => {
      for (const pile of tableau) {
        const { place, size } = piles[pile]!;
        expect(Math.min(place.width, place.height)).toBeGreaterThanOrEqual(24);
        for (const cover of coveredBy[pile] ?? []) {
          const strip = (piles[cover]?.place.y ?? 0) - place.y;
          expect(strip / place.width).toBeGreaterThanOrEqual(cornerOf(size));
          expect(strip).toBeGreaterThanOrEqual(15);
        }
      }
    });
  },
);

describe("pilesUnder", () => {
  it("returns the pile with the largest overlap first; columns reach the bottom of the board", () => {
    const view = viewOf("roosevelt", { t1: "KS", t2: "KH" });
    const layout = layOut(view, 900, 600, "right");
    const [one, two] = ["t1", "t2"].map((name) => layout.piles[numberOf(view, name)]?.place);
    if (!one || !two) throw new Error("columns are missing");
    const x = one.x + (two.x - one.x) * 0.6;
    const box = { x, y: 450, width: one.width, height: one.height };
    expect(pilesUnder(layout, box).slice(0, 2)).toEqual([
      numberOf(view, "t2"),
      numberOf(view, "t1"),
    ]);
    expect(pilesUnder(layout, { x: -500, y: 0, width: 10, height: 10 })).toEqual([]);
  });
});

/** Custom rules, with many or unusual piles, as changes to a game's. */
const UNUSUAL = [
  { id: "klondike", rules: `tableau.deal=${Array(20).fill(2).join(",")}` },
  { id: "forty-thieves", rules: "foundations.0.piles=12;foundations.1.piles=4" },
  { id: "robert", rules: "foundations.0.piles=4" },
  { id: "robert", rules: "foundations.0.piles=2;waste.plays=foundation,cell;cells.piles=4" },
  { id: "robert", rules: `reserve.deal=${Array(13).fill(2).join(",")}` },
  { id: "golf", rules: "tableau.plays=foundation,cell;cells.piles=6" },
  { id: "yukon", rules: `tableau.deal=${Array(13).fill(4).join(",")}` },
  {
    id: "freecell",
    rules: `tableau.deal=${Array(6).fill(4).join(",")};reserve.deal=14,14;cells.piles=8`,
  },
  {
    id: "forty-thieves",
    rules:
      `foundations.0.piles=12;foundations.1.piles=4;tableau.deal=${Array(20).fill(1).join(",")};` +
      `reserve.deal=${Array(20).fill(1).join(",")};cells.piles=20`,
  },
] as const;

describe("layOut of custom rules", () => {
  it.each(
    UNUSUAL.flatMap((each) =>
      SIZES.flatMap((size) => HANDS.map((hand) => ({ ...each, ...size, hand }))),
    ),
  )(
    "keeps $rules within $width by $height, $hand-handed, and piles apart",
    ({ id, rules, width, height, hand }) => {
      const ruleset = new Ruleset(id, "own", rulesOf(id, rules));
      const view = seenOf(dealSeed(ruleset, new Uint8Array(32)));
      const { piles } = layOut(view, width, height, hand);
      const boxes = piles.flatMap(({ place, cards }, pile) =>
        [place, ...cards].map(({ x, y }) => ({ ...place, x, y, pile })),
      );
      expect(piles.filter(Boolean)).toHaveLength(ruleset.pileNames.length);
      const outside = boxes.filter(
        (box) =>
          Math.min(box.x, box.y) < 0 ||
          box.x + box.width > width + 0.5 ||
          box.y + box.height > height + 1,
      );
      expect(outside).toEqual([]);
      const seen = boxes.filter((box) => box.width > 0);
      const touching = seen.flatMap((a, nth) =>
        seen.slice(nth + 1).filter((b) => {
          const beside = Math.abs(a.x - b.x) >= Math.min(a.width, b.width);
          const apart = beside || a.y + a.height <= b.y + 1 || b.y + b.height <= a.y + 1;
          return a.pile !== b.pile && !apart;
        }),
      );
      expect(touching).toEqual([]);
    },
  );
});

/** Return rules with changes in any order, playable or not. */
function rulesOf(game: string, changes: string): Rules {
  const base = findRuleset(game).rules;
  const [first] = base.foundations;
  const rules = structuredClone(base) as unknown as Record<string, Record<string, unknown> | null>;
  for (const change of changes.split(";")) {
    const [path = "", value = ""] = change.split("=");
    const [table = "", at, name = at] = path.split(".");
    if (table === "foundations") {
      const groups = rules[table] as unknown as object[];
      groups[Number(at)] = { ...first, piles: Number(value) };
    } else {
      const usual = { plays: ["foundation"], face_up: "all" };
      const list = value.split(",").map((each) => (/^\d+$/.test(each) ? Number(each) : each));
      rules[table] ??= usual;
      rules[table][name ?? ""] = name === "piles" ? Number(value) : list;
    }
  }
  return rules as unknown as Rules;
}
