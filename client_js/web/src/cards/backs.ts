/** The drawings of the three card backs. */

import { paper, svg } from "./faces.ts";
import type { Back } from "./look.ts";
import { type Size, USUAL, WIDTH, heightOf, isSmall } from "./sizes.ts";
import { SUIT_PATHS } from "./suits.ts";

const BRASS = "#e0a92e";

export function backSvg(back: Back, size: Size): string {
  const inset = isSmall(size) ? 13 : 11;
  const height = heightOf(size);
  const frame = `x="${inset}" y="${inset}" width="${WIDTH - 2 * inset}" height="${height - 2 * inset}" rx="11"`;
  const { ground, tile, middle } = DRAWN[back];
  // Everything is centred on a card of the usual height.
  const lower = (height - USUAL) / 2;
  return svg(
    size,
    paper(size) +
      `<defs>${tile}</defs><rect ${frame} fill="${ground}"/><rect ${frame} fill="url(#${back})"/>` +
      `<rect x="${inset + 7}" y="${inset + 7}" width="${WIDTH - 14 - 2 * inset}" height="${height - 14 - 2 * inset}" rx="6" fill="none" stroke="${BRASS}" stroke-opacity=".7" stroke-width="2"/>` +
      `<g transform="translate(0 ${lower})">${middle}</g>`,
  );
}

function pattern(id: Back, width: number, height: number, inner: string): string {
  return `<pattern id="${id}" width="${width}" height="${height}" x="120" y="168" patternUnits="userSpaceOnUse">${inner}</pattern>`;
}

function suit(name: string, x: number, y: number, scale: number, fill: string): string {
  return `<path transform="translate(${x} ${y}) scale(${scale})" fill="${fill}" d="${SUIT_PATHS[name]}"/>`;
}

interface Drawn {
  readonly ground: string;
  readonly tile: string;
  readonly middle: string;
}

const ROUND = `<circle cx="120" cy="168" r="47" fill="GROUND" stroke="${BRASS}" stroke-width="3"/><circle cx="120" cy="168" r="40" fill="none" stroke="${BRASS}" stroke-opacity=".6" stroke-width="1.5"/>`;

/** Return one row of scales around the height `y`; alternate rows are shifted by half a scale. */
function scales(y: number, row: number): string[] {
  const ring = (x: number, r: number, opacity: number) =>
    `<circle cx="${x}" cy="${y}" r="${r}" fill="#96222d" stroke="#fbe0d4" stroke-opacity="${opacity}" stroke-width="1.6"/>`;
  const middles = row % 2 === 0 ? [0, 44] : [22];
  return middles.map((x) => ring(x, 21, 0.62) + ring(x, 14, 0.42) + ring(x, 7, 0.62));
}

const DRAWN: Readonly<Record<Back, Drawn>> = {
  // Calm: diamonds in brass lines, with a heart and a spade sharing a ring.
  lattice: {
    ground: "#22305a",
    tile: pattern(
      "lattice",
      24,
      32,
      `<path d="M12 0L24 16 12 32 0 16Z" fill="none" stroke="${BRASS}" stroke-opacity=".6" stroke-width="1.7"/><path d="M12 11l4 5-4 5-4-5Z" fill="${BRASS}" fill-opacity=".4"/>`,
    ),
    middle:
      ROUND.replace("GROUND", "#22305a") +
      suit("H", 103, 162, 0.33, BRASS) +
      suit("S", 137, 174, 0.33, BRASS),
  },
  // Warm: rows of overlapping scales, and a clover.
  waves: {
    ground: "#96222d",
    tile: pattern("waves", 44, 22, [0, 11, 22, 33, 44].flatMap(scales).join("")),
    middle: ROUND.replace("GROUND", "#96222d") + suit("C", 120, 168, 0.5, "#fbe0d4"),
  },
  // Bright: eight-pointed stars on a dark sky.
  stars: {
    ground: "#14504a",
    tile: pattern(
      "stars",
      36,
      36,
      `<path d="M18 3L21.5 14.5 33 18 21.5 21.5 18 33 14.5 21.5 3 18 14.5 14.5Z" fill="${BRASS}" fill-opacity=".62"/><path d="M0 0l5 0-5 5ZM36 0v5l-5-5ZM0 36v-5l5 5ZM36 36h-5l5-5Z" fill="#d9eed3" fill-opacity=".55"/><path d="M0 18L18 0M18 36L36 18" stroke="#d9eed3" stroke-opacity=".14"/>`,
    ),
    middle: ROUND.replace("GROUND", "#14504a") + suit("D", 120, 168, 0.56, BRASS),
  },
};
