/** The drawings of all cards. They come in a file of their own: screens do not wait for them. */

import { backSvg } from "./backs.ts";
import { faceSvg } from "./faces.ts";
import type { CardLook } from "./look.ts";
import type { Size } from "./sizes.ts";

export { backSvg, faceSvg };

/** What draws cards, once it is here. */
export type Drawings = Pick<typeof import("./drawings.ts"), "cardUrl">;

/** A card by its number, or a card's back, as an address of its picture. */
export function cardUrl(card: number | "back", size: Size, { deck, back }: CardLook): string {
  return dataUrl(card === "back" ? backSvg(back, size) : faceSvg(card, size, deck));
}

/** An SVG as an address of itself. */
export function dataUrl(svg: string): string {
  const quoted = svg.replaceAll('"', "'").replace(/[%#<>]/g, encodeURIComponent);
  return `data:image/svg+xml,${quoted}`;
}
