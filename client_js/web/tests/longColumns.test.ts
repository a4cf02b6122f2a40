/** The longest columns: no control covers a card, and every corner stays readable. */

import { describe, expect, it } from "vitest";
import type { View } from "../../src/rules/board.ts";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { PACK_SIZE, UNSEEN } from "../../src/rules/cards.ts";
import type { Ruleset } from "../../src/rules/ruleset.ts";
import type { Hand } from "../src/app/settings.svelte.ts";
import { layOut } from "../src/board/layout.ts";
import type { Box, PileLayout } from "../src/board/places/boxes.ts";
import { cornerOf } from "../src/cards/corners.ts";

/**
 * The cards of the longest columns: face down, and in all. Of games whose columns build only
 * sequences, these are all that can exist; of the others, the longest of thousands of games played
 * by hints and at random.
 */
const LONGEST: Readonly<Record<string, readonly [down: number, all: number]>> = {
  klondike: [6, 19],
  spider: [5, 31],
  freecell: [0, 19],
  yukon: [0, 34],
  "forty-thieves": [0, 16],
  canfield: [0, 25],
  golf: [0, 5],
  roosevelt: [0, 16],
  "rouge-et-noir": [8, 27],
  deuces: [0, 12],
  "lady-betty": [0, 18],
};

/**
 * The windows, with the heights of the bars above the board: alone, and in a race of eight. A test
 * in `tests/browser/test_layout.py` measures them.
 */
const SIZES = [
  { width: 360, height: 640, bars: [52, 140] },
  { width: 360, height: 740, bars: [52, 164] },
  { width: 390, height: 844, bars: [52, 164] },
  { width: 768, height: 1024, bars: [52, 140] },
  { width: 1440, height: 900, bars: [52, 130] },
  { width: 1920, height: 1080, bars: [52, 130] },
  { width: 740, height: 360, bars: [46, 46] },
  { width: 844, height: 390, bars: [46, 46] },
];
const HANDS: readonly Hand[] = ["left", "right"];
/** The number of buttons next to a board: usually, and with custom rules and the way to finish. */
const BUTTONS = 4;
const MOST_BUTTONS = 7;
/** The side of each in pixels, and the gap between them. */
const BUTTON = 44;
const BETWEEN = 6.4;

/** The least visible height in pixels of a covered card, and of a top card. */
const READABLE = 8;
const TARGET = 24;
/** The least share of that height that rank and suit fill. */
const FILLED = 0.8;

const CASES = games.flatMap(({ id, variants }) =>
  variants.flatMap(({ id: variant }) =>
    SIZES.flatMap(({ width, height, bars }) =>
      bars.flatMap((bar) =>
        HANDS.map((hand) => ({ id, variant, width, height: height - bar, hand })),
      ),
    ),
  ),
);

/** Return a view whose columns all have this many cards. */
function withColumns(ruleset: Ruleset, down: number, all: number): View {
  const column = Array.from({ length: all }, (_, nth) => (nth < down ? UNSEEN : nth % PACK_SIZE));
  const piles = ruleset.pileNames.map((_, pile) =>
    ruleset.tableau.includes(pile) ? column : [0, 1, 2],
  );
  return { ruleset, piles, redeals: 0, moves: 0 };
}

/** Return the height of the buttons in their place: `TableFrame.svelte` arranges them. */
function toolsIn(width: number, buttons: number): number {
  const columns = width < 142.4 ? 1 : width < 304 ? 2 : Math.floor((width + BETWEEN) / 78.4);
  const rows = Math.ceil(buttons / columns);
  return rows * BUTTON + (rows - 1) * BETWEEN;
}

function overlap(a: Box, b: Box): boolean {
  return (
    Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x) > 0.5 &&
    Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y) > 0.5
  );
}

describe("layOut with the longest columns", () => {
  it.each(CASES)(
    "of $id, $variant, in $width by $height, $hand-handed",
    ({ id, variant, width, height, hand }) => {
      const ruleset = findRuleset(id, variant);
      const [down, all] = LONGEST[id] ?? [0, 0];
      const view = withColumns(ruleset, down, all);
      const place = layOut(view, width, height, hand).actions;
      const { actions, piles } = layOut(
        view,
        width,
        height,
        hand,
        toolsIn(place?.width ?? 0, BUTTONS),
      );
      const shown = piles.filter(({ place: { width: wide } }) => wide > 0);
      const boxes = shown.flatMap(({ place: box, cards }) =>
        cards.map((at) => ({ ...box, ...at })),
      );
      expect(boxes.filter((box) => actions !== null && overlap(box, actions))).toEqual([]);
      // The window's edge may cut a top card, and nothing else.
      expect(boxes.filter((box) => box.y > height - TARGET)).toEqual([]);
      const most = Math.max(...boxes.map((box) => box.y + box.height));
      if (actions !== null && actions.y > height / 2)
        expect(most).toBeLessThanOrEqual(height + 0.5);
      for (const { place: box } of shown) {
        expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(TARGET);
      }
      for (const pile of ruleset.tableau) {
        const { place: box, cards, size } = piles[pile] as PileLayout;
        const corner = cornerOf(size) * box.width;
        const strips = cards.slice(1).map(({ y }, nth) => y - (cards[nth]?.y ?? 0));
        const strip = Math.min(...strips.slice(down));
        expect(strip).toBeGreaterThanOrEqual(READABLE);
        expect(corner).toBeGreaterThanOrEqual(READABLE * FILLED);
        expect(strip).toBeGreaterThanOrEqual(corner);
      }
    },
  );

  it.each(CASES)(
    "and many actions of $id, $variant, in $width by $height, $hand-handed, keeps cards and actions apart",
    ({ id, variant, width, height, hand }) => {
      const ruleset = findRuleset(id, variant);
      const view = withColumns(ruleset, ...(LONGEST[id] ?? [0, 0]));
      const place = layOut(view, width, height, hand).actions;
      const tools = toolsIn(place?.width ?? 0, MOST_BUTTONS);
      const { actions, piles } = layOut(view, width, height, hand, tools);
      const boxes = piles.flatMap(({ place: box, cards }) =>
        cards.map((at) => ({ ...box, ...at })),
      );
      expect(boxes.filter((box) => actions !== null && overlap(box, actions))).toEqual([]);
    },
  );
});
