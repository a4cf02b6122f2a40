/**
 * Card faces as separate SVG pictures, for the page, its icons and its previews. In each size, rank
 * and suit both fit in the strip of a card that a fan leaves visible, at the top and at the left. A
 * page may contain many pictures: an id within one is derived from its content, so that equal ids
 * are equal elements.
 */

import { RANKS, rankOf, suitOf } from "../../../src/rules/cards.ts";
import { COURTS } from "./courts/index.ts";
import { INDICES } from "./indices.ts";
import type { Deck } from "./look.ts";
import { pipsOf } from "./pips.ts";
import { type Size, USUAL, WIDTH, heightOf, isSmall } from "./sizes.ts";
import { SUIT_PATHS } from "./suits.ts";

const PAPER = "#fdfbf4";

/** A suit's colours: indices and pips; clothes; their trimming; a court's background. */
interface Tones {
  readonly pip: string;
  readonly main: string;
  readonly second: string;
  readonly light: string;
}

const INK = "#1d2433";
const RED = "#c3202f";
const SPADES = { pip: INK, main: "#26365c", second: "#5f86b8", light: "#d5e0ee" };
const HEARTS = { pip: RED, main: "#b3202a", second: "#ef8a5a", light: "#fbe0d4" };
const DIAMONDS = { pip: RED, main: "#c8502a", second: "#f0b13c", light: "#fdeccb" };
const CLUBS = { pip: INK, main: "#1f5443", second: "#74a866", light: "#dcebd3" };

const TONES: Readonly<Record<Deck, Readonly<Record<string, Tones>>>> = {
  two: { S: SPADES, H: HEARTS, D: DIAMONDS, C: CLUBS },
  four: {
    S: SPADES,
    H: HEARTS,
    D: { pip: "#a85b00", main: "#b5651d", second: "#f0b13c", light: "#fdeccb" },
    C: { pip: "#17693f", main: "#1c6a45", second: "#74b866", light: "#d9eed3" },
  },
};

export function faceSvg(card: number, size: Size, deck: Deck): string {
  const suit = suitOf(card);
  const rank = rankOf(card);
  const tones = TONES[deck][suit] as Tones;
  const court = COURTS[`${RANKS.charAt(rank)}${suit}`];
  return svg(size, paper(size) + drawingOf(size)(rank, suit, tones, court));
}

export function svg(size: Size, inner: string): string {
  const shape = `width="${WIDTH}" height="${heightOf(size)}" viewBox="0 0 ${WIDTH} ${heightOf(size)}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${shape}>${inner}</svg>`;
}

export function paper(size: Size): string {
  const r = isSmall(size) ? 20 : 15;
  return `<rect x=".75" y=".75" width="238.5" height="${heightOf(size) - 1.5}" rx="${r}" fill="${PAPER}" stroke="#000" stroke-opacity=".28" stroke-width="1.5"/>`;
}

function suitAt(suit: string, x: number, y: number, size: number, fill: string, turned = false) {
  const scale = (turned ? -size : size) / 100;
  return `<path transform="translate(${x} ${y}) scale(${scale})" fill="${fill}" d="${SUIT_PATHS[suit]}"/>`;
}

/** Return the rank as a drawing of this height, starting at `x`, or centred on it if `about`. */
function index(rank: number, x: number, y: number, height: number, fill: string, about = false) {
  const outline = INDICES[rank] as (typeof INDICES)[number];
  const scale = height / 200;
  const left = about ? x - (outline.width * scale) / 2 : x;
  return `<path transform="translate(${left} ${y}) scale(${scale})" fill="${fill}" d="${outline.path}"/>`;
}

function coloured(court: string, { main, second, light }: Tones): string {
  return court
    .replaceAll("var(--main)", main)
    .replaceAll("var(--second)", second)
    .replaceAll("var(--light)", light);
}

/** Return one large corner, and one pip or the upper part of a court. */
function small(rank: number, suit: string, tones: Tones, court: string | undefined): string {
  const corner =
    index(rank, 13, 20, 84, tones.pip) +
    suitAt(suit, 190, 62, 82, tones.pip) +
    suitAt(suit, 42, 144, 54, tones.pip);
  if (court === undefined) return corner + suitAt(suit, 138, 230, 150, tones.pip);
  return corner + bust(coloured(court, tones), 118, USUAL, 1.25);
}

/** Return the same with more space, for the tall size. */
function tall(rank: number, suit: string, tones: Tones, court: string | undefined): string {
  const corner =
    index(rank, 13, 22, 98, tones.pip) +
    suitAt(suit, 186, 71, 92, tones.pip) +
    suitAt(suit, 44, 162, 58, tones.pip);
  if (court === undefined) return corner + suitAt(suit, 136, 280, 176, tones.pip);
  return corner + bust(coloured(court, tones), 130, heightOf("tall"), 1.45);
}

/** Return a corner of this height, in one line, above one pip or the upper part of a court. */
function dense(size: Size) {
  // The name of a dense size ends with its corner's height in hundredths of the width.
  const high = (Number(size.split("-").at(-1)) / 100) * WIDTH - 9;
  const height = heightOf(size);
  const first = 13 + high * 1.15;
  return (rank: number, suit: string, tones: Tones, court: string | undefined): string => {
    const corner =
      index(rank, 13, 7, high, tones.pip) +
      suitAt(suit, first + high / 2, 7 + high / 2, high, tones.pip);
    if (court === undefined) return corner + suitAt(suit, 132, height - 112, 156, tones.pip);
    return corner + bust(coloured(court, tones), 100, height, 1.3);
  };
}

/** Return the upper part of a court at a card's bottom right corner, below the height `top`. */
function bust(court: string, top: number, height: number, scale: number): string {
  const bottom = height - 1;
  return (
    `<clipPath id="bust-${height}"><path d="M72 ${top}H240V${bottom - 15}A15 15 0 0 1 225 ${bottom}H72Z"/></clipPath>` +
    `<g clip-path="url(#bust-${height})"><g transform="translate(156 ${height - 6}) scale(${scale})">${court}</g></g>`
  );
}

interface Corner {
  readonly index: number;
  readonly suit: number;
  /** The x coordinate of both centres. */
  readonly x: number;
  /** The inset of a court's frame. */
  readonly panel: number;
}

const CORNERS: Readonly<Record<"medium" | "large", Corner>> = {
  medium: { index: 45, suit: 36, x: 29, panel: 55 },
  large: { index: 36, suit: 29, x: 26, panel: 49 },
};

/** Return two corners, and pips in their classic places or a court twice. */
function wholeOf(size: "medium" | "large") {
  const { index: high, suit: wide, x, panel } = CORNERS[size];
  const top = size === "medium" ? 16 : 15;
  return (rank: number, suit: string, tones: Tones, court: string | undefined): string => {
    const corner =
      index(rank, x, top, high, tones.pip, true) +
      suitAt(suit, x, top + high + 8 + wide / 2, wide, tones.pip);
    const beside = suitAt(suit, WIDTH - x, top + wide / 2 + 2, wide, tones.pip);
    const turned = `rotate(180 ${WIDTH / 2} ${USUAL / 2})`;
    const corners = `${corner}${beside}<g transform="${turned}">${corner}${beside}</g>`;
    if (court === undefined) {
      const pips = pipsOf(rank).map(({ x: left, y, size: pip, turned: upside }) =>
        suitAt(suit, left, y, pip, tones.pip, upside),
      );
      return corners + pips.join("");
    }
    return courtPanel(coloured(court, tones), tones, panel) + corners;
  };
}

/** Return a court in its frame, inset by `left`, once upright and once rotated. */
function courtPanel(court: string, { main, light }: Tones, left: number): string {
  const width = WIDTH - 2 * left;
  const frame = `x="${left}" y="20" width="${width}" height="${USUAL - 40}" rx="9"`;
  const half =
    `<g clip-path="url(#half)"><circle cy="-72" r="70" fill="${PAPER}" opacity=".7"/>` +
    `<g transform="scale(${width / 168} 1)">${court}</g></g>`;
  return (
    `<clipPath id="frame-${left}"><rect ${frame}/></clipPath>` +
    `<clipPath id="half"><path d="M-120-168H120V-11.5L-120 11.5Z"/></clipPath>` +
    `<rect ${frame} fill="${light}"/><g clip-path="url(#frame-${left})">` +
    `<g transform="translate(${WIDTH / 2} ${USUAL / 2})">${half}` +
    `<g transform="rotate(180)">${half}</g>` +
    `<path d="M-120 11.5L120-11.5" stroke="#e0a92e" stroke-width="4"/></g></g>` +
    `<rect ${frame} fill="none" stroke="${main}" stroke-width="2"/>`
  );
}

const DRAWN: Readonly<Record<string, ReturnType<typeof wholeOf>>> = {
  tall,
  small,
  medium: wholeOf("medium"),
  large: wholeOf("large"),
};

function drawingOf(size: Size): ReturnType<typeof wholeOf> {
  return DRAWN[size] ?? dense(size);
}
