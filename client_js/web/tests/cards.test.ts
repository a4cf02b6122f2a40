import { describe, expect, it } from "vitest";
import { parseCard } from "../../src/rules/cards.ts";
import { backSvg, dataUrl, faceSvg } from "../src/cards/drawings.ts";
import { BACKS, CARDS, type Deck, type Size, sizeFor } from "../src/cards/index.ts";
import { pipsOf } from "../src/cards/pips.ts";
import { DENSE, cornerOf, fittingSize } from "../src/cards/corners.ts";

const SIZES: readonly Size[] = [
  ...(["tall", "small", "medium", "large"] as const),
  ...DENSE.flatMap((corner) => [`dense-${corner}`, `tall-dense-${corner}`] as const),
];
const DECKS: readonly Deck[] = ["two", "four"];

/** Whether all elements are closed in order, and no placeholder is left. */
function isWellFormed(svg: string): boolean {
  const open: string[] = [];
  for (const [, closing, name, alone] of svg.matchAll(/<(\/?)([a-zA-Z]+)[^<>]*?(\/?)>/g)) {
    if (alone || name === undefined) continue;
    if (closing === "") open.push(name);
    else if (open.pop() !== name) return false;
  }
  return open.length === 0 && !/NaN|undefined|\$\{|var\(/.test(svg);
}

describe("the faces", () => {
  it.each(SIZES.flatMap((size) => DECKS.map((deck) => ({ size, deck }))))(
    "are 52 different drawings when $size, in $deck colours",
    ({ size, deck }) => {
      const drawn = CARDS.map((card) => faceSvg(card, size, deck));
      expect(new Set(drawn).size).toBe(52);
      expect(drawn.filter((svg) => !isWellFormed(svg))).toEqual([]);
    },
  );

  it.each(["medium", "large"] as const)("are the same upside down when %s", (size) => {
    // Everything is drawn twice, the second time rotated by 180 degrees, except single middle pips.
    const king = faceSvg(parseCard("KS"), size, "two");
    expect(king.split("rotate(180").length - 1).toBe(2);
  });

  it("have as many pips as their rank", () => {
    expect(Array.from({ length: 13 }, (_, rank) => pipsOf(rank).length)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 0, 0,
    ]);
  });

  it("have four colours in the four-colour deck", () => {
    const inks = (deck: Deck) =>
      new Set(
        ["7S", "7H", "7D", "7C"].map(
          (name) => /fill="(#[0-9a-f]{6})" d=/.exec(faceSvg(parseCard(name), "large", deck))?.[1],
        ),
      ).size;
    expect([inks("two"), inks("four")]).toEqual([2, 4]);
  });

  it("have the legible size at each width", () => {
    expect([33, 59, 60, 109, 110, 400].map(sizeFor)).toEqual([
      ...["small", "small", "medium", "medium", "large", "large"],
    ]);
  });
});

describe("the size that fits a strip", () => {
  it("is the usual one if its corner is visible, otherwise the largest dense one", () => {
    expect(fittingSize("medium", 0.26)).toBe("medium");
    expect(fittingSize("medium", 0.24)).toBe("dense-23");
    expect(fittingSize("tall", 0.41)).toBe("tall-dense-40");
    expect(fittingSize("tall", 0.01)).toBe("tall-dense-8");
    for (const size of SIZES) expect(cornerOf(fittingSize(size, 0.3))).toBeLessThanOrEqual(0.3);
  });
});

describe("the backs", () => {
  it("are different drawings for each design", () => {
    const drawn = BACKS.flatMap((back) => SIZES.map((size) => backSvg(back, size)));
    expect(new Set(drawn.map((svg) => svg.slice(200))).size).toBeGreaterThanOrEqual(BACKS.length);
    expect(drawn.filter((svg) => !isWellFormed(svg))).toEqual([]);
  });
});

describe("dataUrl", () => {
  it("can be quoted, and decoded again", () => {
    const svg = faceSvg(parseCard("QH"), "large", "two");
    const url = dataUrl(svg);
    expect(url).not.toMatch(/["<>#]/);
    expect(decodeURIComponent(url.slice(url.indexOf(",") + 1))).toBe(svg.replaceAll('"', "'"));
  });
});
