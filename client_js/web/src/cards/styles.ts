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

/** How many pictures are made in a frame: reading one takes a browser some milliseconds. */
const AT_ONCE = 4;

/** A card in one size: its class, and what draws it. */
type Drawing = readonly [name: string, svg: () => string];

/**
 * Keeps the document's styles of cards: those of each size are made when it is first needed, a few
 * in each frame. Until its face is made, a card is blank.
 */
export class CardStyles {
  readonly #sheet = new CSSStyleSheet();
  readonly #sizes = new Set<Size>();
  #look: CardLook;
  #missing: readonly Drawing[] = [];
  /** What has been read stays read: else a card that turns up is read in the middle of its move. */
  #read: HTMLImageElement[] = [];

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
    this.#read = [];
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
    this.#missing = [...this.#missing, ...sizes.flatMap((size) => drawings(size, this.#look))];
    for (const size of sizes) this.#insert(blankRule(size));
    if (idle) this.#makeSome();
  }

  #makeSome(): void {
    for (const [name, svg] of this.#missing.slice(0, AT_ONCE)) {
      const url = dataUrl(svg());
      const image = new Image();
      image.src = url;
      this.#read.push(image);
      this.#insert(`.${name}{background:0 0/100% 100% url("${url}")}`);
    }
    this.#missing = this.#missing.slice(AT_ONCE);
    if (this.#missing.length > 0) requestAnimationFrame(() => this.#makeSome());
  }

  #insert(rule: string): void {
    this.#sheet.insertRule(rule, this.#sheet.cssRules.length);
  }
}

/** What cards of a size look like while they have no face. */
function blankRule(size: Size): string {
  return `${CARDS.map((card) => `.${faceClass(size, card)}`).join()}{background-color:${PAPER}}`;
}

/** The back first: it is seen most. */
function drawings(size: Size, { deck, back }: CardLook): Drawing[] {
  return [
    [faceClass(size, "back"), () => backSvg(back, size)],
    ...CARDS.map((card): Drawing => [faceClass(size, card), () => faceSvg(card, size, deck)]),
  ];
}

/** An SVG as an address of itself. */
export function dataUrl(svg: string): string {
  const quoted = svg.replaceAll('"', "'").replace(/[%#<>]/g, encodeURIComponent);
  return `data:image/svg+xml,${quoted}`;
}
