/**
 * The images of link previews, as HTML documents of 1200 by 630 pixels.
 *
 * They are displayed 300 to 500 pixels wide, so the text is short and large.
 */

import { readFileSync } from "node:fs";
import { viewOf } from "../../src/rules/board.ts";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { isDown, parseCard } from "../../src/rules/cards.ts";
import { dealSeed } from "../../src/rules/deal.ts";
import { backSvg, dataUrl, faceSvg } from "../src/cards/drawings.ts";
import { texts } from "../src/text/generated/en.first.ts";

export const WIDTH = 1200;
export const HEIGHT = 630;

const RINGS = 52;

/** The ratio of card height to width. */
const ASPECT = 1.4;

interface Placed {
  readonly card: number | "back";
  /** The centre of the card. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** Degrees, clockwise. */
  readonly turn: number;
}

interface Picture {
  readonly title: readonly string[];
  readonly line: string;
  readonly cards: readonly Placed[];
}

/** Return the HTML of each picture, by file name. */
export function pictures(): Map<string, string> {
  const found = new Map([["preview.png", documentOf(HOME)]]);
  for (const { id, name } of games) {
    const drawn = GAMES[id];
    if (drawn === undefined) throw new Error(`no picture is defined for ${id}`);
    const { break: words = [name], ...rest } = drawn;
    found.set(`preview-${id}.png`, documentOf({ title: words, ...rest }));
  }
  return found;
}

const HOME: Picture = {
  title: ["Same cards.", "Who’s faster?"],
  line: "Solitaire against your friends",
  cards: hand(["TS", "JD", "QC", "KH", "AS"], { x: 985, y: 385, width: 242, spread: 12 }),
};

/** Each game's picture. Its title is the game's name, on the lines of `break` if given. */
const GAMES: Readonly<Record<string, Omit<Picture, "title"> & { break?: readonly string[] }>> = {
  roosevelt: {
    line: "Two packs. Patience decides.",
    cards: board("roosevelt", 9, {
      x: 690,
      y: 116,
      width: 190,
      step: 80,
      columns: [2, 5],
      turn: -8,
    }),
  },
  robert: {
    line: "One up or one down, in two minutes.",
    cards: hand(["TS", "JH", "QC", "KD", "AS", "KH"], { x: 915, y: 375, width: 238, spread: 10.5 }),
  },
  "rouge-et-noir": {
    break: ["Rouge", "et Noir"],
    line: "Red on black, and black on red.",
    cards: board("rouge-et-noir", 111, {
      x: 660,
      y: 6,
      width: 188,
      step: 41,
      columns: [2, 6],
      turn: 8,
    }),
  },
  deuces: {
    line: "The Twos are home already.",
    cards: hand(["2S", "2D", "2C", "2H", "2S", "2D", "2C", "2H"], {
      x: 905,
      y: 385,
      width: 232,
      spread: 9,
    }),
  },
  "lady-betty": {
    break: ["Lady", "Betty"],
    line: "Once it’s down, it stays.",
    cards: hand(["QS", "QH", "QC", "QD"], { x: 890, y: 372, width: 262, spread: 13 }),
  },
  klondike: {
    line: "The one everyone knows.",
    cards: board("klondike", 7, {
      ...{ x: 640, y: 60, width: 178, step: 52 },
      ...{ columns: [3, 7], turn: -7 },
    }),
  },
  spider: {
    line: "Eight runs, from King to Ace.",
    cards: hand(["9S", "TS", "JS", "QS", "KS"], { x: 940, y: 385, width: 242, spread: 12 }),
  },
  freecell: {
    line: "All cards open, four cells to think with.",
    cards: board("freecell", 4, {
      ...{ x: 690, y: 30, width: 186, step: 66 },
      ...{ columns: [2, 6], turn: 8 },
    }),
  },
  yukon: {
    line: "Whole heaps move at once.",
    cards: board("yukon", 3, {
      ...{ x: 650, y: -40, width: 188, step: 56 },
      ...{ columns: [2, 6], turn: -8 },
    }),
  },
  "forty-thieves": {
    break: ["Forty", "Thieves"],
    line: "One card at a time, and they run.",
    cards: board("forty-thieves", 5, {
      ...{ x: 700, y: 40, width: 170, step: 92 },
      ...{ columns: [0, 4], turn: 8 },
    }),
  },
  canfield: {
    line: "Thirteen in reserve, and they want out.",
    cards: hand(["TS", "JD", "QC", "KD", "AS", "2H"], { x: 915, y: 375, width: 238, spread: 10.5 }),
  },
  pyramid: {
    line: "Thirteen by thirteen, up to the top.",
    cards: peaks("pyramid", 6, { x: 968, y: 84, width: 100, step: 56 }),
  },
  tripeaks: {
    line: "One up or one down, over three peaks.",
    cards: peaks("tripeaks", 5, { x: 1104, y: 166, width: 88, step: 68 }),
  },
  golf: {
    line: "One up or one down, until the course is clear.",
    cards: hand(["5C", "6D", "7S", "6H", "5D", "4C"], { x: 915, y: 375, width: 238, spread: 10.5 }),
  },
};

interface Hand {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** Degrees from card to card. */
  readonly spread: number;
}

/** Return cards fanned out like a hand of cards, around `x`, `y`. */
function hand(cards: readonly string[], { x, y, width, spread }: Hand): Placed[] {
  const radius = width * ASPECT * 1.02;
  return cards.map((card, nth) => {
    const turn = (nth - (cards.length - 1) / 2) * spread;
    const angle = (turn * Math.PI) / 180;
    const at = { x: x + Math.sin(angle) * radius, y: y + (1 - Math.cos(angle)) * radius };
    return { card: parseCard(card), ...at, width, turn };
  });
}

interface Board {
  /** The top left corner of the first displayed column, before the rotation. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** The visible pixels of a covered card. */
  readonly step: number;
  /** The range of displayed columns: the first one, and the one after the last. */
  readonly columns: readonly [number, number];
  readonly turn: number;
}

/** Return columns of a game at the start of a deal, rotated by `turn` degrees. */
function board(game: string, seed: number, { x, y, width, step, columns, turn }: Board): Placed[] {
  const ruleset = findRuleset(game);
  const { piles } = viewOf(dealSeed(ruleset, new Uint8Array(32).fill(seed)));
  const angle = (turn * Math.PI) / 180;
  return ruleset.tableau.slice(...columns).flatMap((pile, column) =>
    (piles[pile] ?? []).map((card, nth) => {
      const across = column * width * 1.14 + width / 2;
      const down = nth * step + (width * ASPECT) / 2;
      return {
        card: isDown(card) ? "back" : card,
        x: x + across * Math.cos(angle) - down * Math.sin(angle),
        y: y + across * Math.sin(angle) + down * Math.cos(angle),
        width,
        turn,
      };
    }),
  );
}

/** Return the peaks of a game at the start of a deal, whose tops are in the middle around `x`. */
function peaks(
  game: string,
  seed: number,
  { x: middle, y, width, step }: Pick<Board, "x" | "y" | "width" | "step">,
): Placed[] {
  const ruleset = findRuleset(game);
  const { piles } = viewOf(dealSeed(ruleset, new Uint8Array(32).fill(seed)));
  const rows = ruleset.peaks ?? [];
  const across = rows.at(-1) ?? 0;
  return rows.flatMap((size, row) => {
    const start = rows.slice(0, row).reduce((sum, each) => sum + each, 0);
    const below = rows.length - 1 - row;
    return ruleset.tableau.slice(start, start + size).flatMap((pile, nth) => {
      const peak = below === 0 ? 0 : Math.floor(nth / (row + 1));
      const at = nth + peak * (below - 1) + below / 2 - (across - 1) / 2;
      const [card] = piles[pile] ?? [];
      const place = { x: middle + at * width * 1.07, y: y + row * step + (width * ASPECT) / 2 };
      return card === undefined
        ? []
        : [{ card: isDown(card) ? ("back" as const) : card, ...place, width, turn: 0 }];
    });
  });
}

function documentOf({ title, line, cards }: Picture): string {
  const font = readFileSync(new URL("../fonts/fraunces.woff2", import.meta.url), "base64");
  return `<!doctype html><meta charset="utf-8"><style>
@font-face { font-family: Fraunces; src: url(data:font/woff2;base64,${font}); font-weight: 500 800; }
* { margin: 0; box-sizing: border-box; }
body {
  position: relative; overflow: hidden; width: ${WIDTH}px; height: ${HEIGHT}px;
  font: 650 40px/1.1 Fraunces; color: #fdfbf4;
  background: radial-gradient(95% 120% at 66% 40%, ${table()});
}
img { position: absolute; filter: drop-shadow(0 5px 9px rgb(0 20 12 / .38)); }
.words { position: absolute; left: 70px; top: 0; bottom: 0; display: grid; align-content: center; padding-top: 40px; }
.mark { position: absolute; left: 70px; top: 56px; font-size: 46px; color: #f0c25a; }
h1 { font-size: ${title.some((part) => part.length > 11) ? 90 : 130}px; font-weight: 650; line-height: .98; letter-spacing: -.015em; }
p { max-width: 500px; margin-top: 26px; font-size: 45px; line-height: 1.15; color: #d8e6dc; text-wrap: balance; }
</style>
<body>${cards.map(imageOf).join("")}
<div class="mark">${texts.wordmark}</div>
<div class="words"><h1>${title.join("<br>")}</h1><p>${line}</p></div>
</body>`;
}

/**
 * Return the colour stops of the background, as rings with an invisible difference: browsers dither
 * a smooth gradient, which compresses badly.
 */
function table(): string {
  const [middle, edge] = [
    [0x1f, 0x72, 0x56],
    [0x0f, 0x3f, 0x31],
  ] as const;
  const rings = Array.from({ length: RINGS }, (_, nth) => {
    const mixed = middle.map((from, at) => from + (((edge[at] ?? 0) - from) * nth) / (RINGS - 1));
    const percent = (step: number) => `${((100 * step) / RINGS).toFixed(2)}%`;
    return `rgb(${mixed.map(Math.round).join(" ")}) ${percent(nth)} ${percent(nth + 1)}`;
  });
  return rings.join(", ");
}

function imageOf({ card, x, y, width, turn }: Placed): string {
  const svg = card === "back" ? backSvg("lattice", "large") : faceSvg(card, "large", "two");
  const height = width * ASPECT;
  return `<img src="${dataUrl(svg)}" style="left:${x - width / 2}px;top:${y - height / 2}px;width:${width}px;height:${height}px;rotate:${turn}deg">`;
}
