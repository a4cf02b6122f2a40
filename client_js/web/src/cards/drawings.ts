/** The drawings of all cards, in a separate chunk that screens do not wait for. */

import { backSvg } from "./backs.ts";
import { faceSvg } from "./faces.ts";
import type { CardLook } from "./look.ts";
import type { Size } from "./sizes.ts";

export { backSvg, faceSvg };

/** This module as loaded lazily. */
export type Drawings = Pick<typeof import("./drawings.ts"), "cardSvg" | "cardUrl">;

export function cardSvg(card: number | "back", size: Size, { deck, back }: CardLook): string {
  return card === "back" ? backSvg(back, size) : faceSvg(card, size, deck);
}

/** Return the same picture as a data URL. */
export function cardUrl(card: number | "back", size: Size, look: CardLook): string {
  return dataUrl(cardSvg(card, size, look));
}

export function dataUrl(svg: string): string {
  const quoted = svg.replaceAll('"', "'").replace(/[%#<>]/g, encodeURIComponent);
  return `data:image/svg+xml,${quoted}`;
}
