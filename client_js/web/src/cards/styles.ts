/** The cards as styles of this page: an element of the class `face-medium-12` shows a king. */

import { type Back, backSvg } from "./backs.ts";
import { CARDS, type Deck, type Size, faceSvg } from "./faces.ts";

/** How this player likes cards to look. */
export interface CardLook {
  readonly deck: Deck;
  readonly back: Back;
}

/** The class that shows a card, or the back of one. */
export function faceClass(size: Size, card: number | "back"): string {
  return `face-${size}-${card}`;
}

/** Keeps the document's styles of cards: those of each size are made when it is first needed. */
export class CardStyles {
  readonly #sheet = new CSSStyleSheet();
  readonly #sizes = new Set<Size>();
  #look: CardLook;

  constructor(document: Document, look: CardLook) {
    this.#look = look;
    document.adoptedStyleSheets.push(this.#sheet);
  }

  /** Have cards look so from now on. */
  show(look: CardLook): void {
    if (look.deck === this.#look.deck && look.back === this.#look.back) return;
    this.#look = look;
    this.#write();
  }

  /** Cards of these sizes are going to be shown. */
  need(...sizes: readonly Size[]): void {
    const missing = sizes.filter((size) => !this.#sizes.has(size));
    if (missing.length === 0) return;
    for (const size of missing) this.#sizes.add(size);
    this.#write();
  }

  #write(): void {
    this.#sheet.replaceSync([...this.#sizes].map((size) => cardRules(size, this.#look)).join(""));
  }
}

function cardRules(size: Size, { deck, back }: CardLook): string {
  const faces = CARDS.map((card) => rule(faceClass(size, card), faceSvg(card, size, deck)));
  return faces.join("") + rule(faceClass(size, "back"), backSvg(back, size));
}

function rule(name: string, svg: string): string {
  return `.${name}{background-image:url("${dataUrl(svg)}")}`;
}

/** An SVG as an address of itself. */
export function dataUrl(svg: string): string {
  const quoted = svg.replaceAll('"', "'").replace(/[%#<>]/g, encodeURIComponent);
  return `data:image/svg+xml,${quoted}`;
}
