/** The cards as styles of this page: an element of the class `face-medium-12` shows a king. */

import { type Back, backSvg } from "./backs.ts";
import { CARDS, type Deck, PAPER, type Size, faceSvg } from "./faces.ts";

/** How this player likes cards to look. */
export interface CardLook {
  readonly deck: Deck;
  readonly back: Back;
}

/** The class that shows a card, or the back of one. */
export function faceClass(size: Size, card: number | "back"): string {
  return `face-${size}-${card}`;
}

/** How many faces are made in a frame: each is a picture that the browser has to read. */
const AT_ONCE = 7;

/**
 * Keeps the document's styles of cards: those of each size are made when it is first needed, a few
 * in each frame. Until its face is made, a card is blank.
 */
export class CardStyles {
  readonly #sheet = new CSSStyleSheet();
  readonly #sizes = new Set<Size>();
  #look: CardLook;
  #missing: readonly (() => string)[] = [];

  constructor(document: Document, look: CardLook) {
    this.#look = look;
    document.adoptedStyleSheets.push(this.#sheet);
  }

  /** Have cards look so from now on. */
  show(look: CardLook): void {
    if (look.deck === this.#look.deck && look.back === this.#look.back) return;
    this.#look = look;
    this.#sheet.replaceSync("");
    this.#missing = [];
    this.#make([...this.#sizes]);
  }

  /** Cards of these sizes are going to be shown. */
  need(...sizes: readonly Size[]): void {
    const missing = sizes.filter((size) => !this.#sizes.has(size));
    if (missing.length === 0) return;
    for (const size of missing) this.#sizes.add(size);
    this.#make(missing);
  }

  #make(sizes: readonly Size[]): void {
    const idle = this.#missing.length === 0;
    this.#missing = [...this.#missing, ...sizes.flatMap((size) => cardRules(size, this.#look))];
    if (idle) this.#makeSome();
  }

  #makeSome(): void {
    for (const rule of this.#missing.slice(0, AT_ONCE)) {
      this.#sheet.insertRule(rule(), this.#sheet.cssRules.length);
    }
    this.#missing = this.#missing.slice(AT_ONCE);
    if (this.#missing.length > 0) requestAnimationFrame(() => this.#makeSome());
  }
}

/** What makes the rules of a size: what blank cards look like, their backs, and every face. */
function cardRules(size: Size, { deck, back }: CardLook): (() => string)[] {
  const blank = CARDS.map((card) => `.${faceClass(size, card)}`).join();
  return [
    () => `${blank}{background-color:${PAPER}}`,
    () => rule(faceClass(size, "back"), backSvg(back, size)),
    ...CARDS.map((card) => () => rule(faceClass(size, card), faceSvg(card, size, deck))),
  ];
}

function rule(name: string, svg: string): string {
  return `.${name}{background:0 0/100% 100% url("${dataUrl(svg)}")}`;
}

/** An SVG as an address of itself. */
export function dataUrl(svg: string): string {
  const quoted = svg.replaceAll('"', "'").replace(/[%#<>]/g, encodeURIComponent);
  return `data:image/svg+xml,${quoted}`;
}
