/** The cards as styles of this page: an element of the class `face-medium-12` shows a king. */

import type { Drawings } from "./drawings.ts";
import type { CardLook } from "./look.ts";
import { CARDS, type Size } from "./sizes.ts";

/** The class that shows a card, or the back of one. */
export function faceClass(size: Size, card: number | "back"): string {
  return `face-${size}-${card}`;
}

/** Milliseconds after which no more pictures are made in a frame: reading one takes a browser some. */
const ENOUGH = 12;

/** What cards are made of while they have no face. */
const PAPER = "#fdfbf4";

/** A card, or the back of one, in one size. */
type Missing = readonly [card: number | "back", size: Size];

/**
 * Keeps the document's styles of cards: those of each size are made when it is first needed, a few
 * in each frame. Until its face is made, a card is blank.
 */
export class CardStyles {
  readonly #sheet = new CSSStyleSheet();
  readonly #sizes = new Set<Size>();
  #look: CardLook;
  #drawings: Drawings | undefined;
  #frame: number | undefined;
  #missing: Missing[] = [];
  /** What has been read stays read: else a card that turns up is read in the middle of its move. */
  readonly #read = new Map<string, HTMLImageElement>();

  /** `drawings`: they may come later. */
  constructor(document: Document, look: CardLook, drawings: Promise<Drawings>) {
    this.#look = look;
    document.adoptedStyleSheets.push(this.#sheet);
    const keep = (here: Drawings) => {
      this.#drawings = here;
      this.#makeSoon();
    };
    // Cards stay blank without; who asked for the drawings says so.
    drawings.then(keep, () => undefined);
  }

  /** Have cards look so from now on. */
  show(look: CardLook): void {
    if (look.deck === this.#look.deck && look.back === this.#look.back) return;
    this.#look = look;
    this.#sheet.replaceSync("");
    this.#missing = [];
    this.#read.clear();
    this.#make([...this.#sizes]);
  }

  /** Cards of these sizes are going to be shown, and some of them first. */
  need(sizes: Iterable<Size>, first: readonly number[] = []): void {
    const missing = [...new Set(sizes)].filter((size) => !this.#sizes.has(size));
    if (missing.length === 0) return;
    for (const size of missing) this.#sizes.add(size);
    this.#make(missing, first);
  }

  /** The picture of a card in a size that is shown; undefined until it is made. */
  picture(size: Size, card: number): HTMLImageElement | undefined {
    return this.#read.get(faceClass(size, card));
  }

  #make(sizes: readonly Size[], first: readonly number[] = []): void {
    const late = (card: number) => Number(!first.includes(card));
    const cards = CARDS.toSorted((a, b) => late(a) - late(b));
    const all = (size: Size) => ["back" as const, ...cards].map((card): Missing => [card, size]);
    this.#missing.push(...sizes.flatMap(all));
    for (const size of sizes) this.#insert(blankRule(size));
    this.#makeSoon();
  }

  #makeSoon(): void {
    if (this.#drawings === undefined || this.#missing.length === 0) return;
    const { cardUrl } = this.#drawings;
    this.#frame ??= requestAnimationFrame(() => void this.#makeSome(cardUrl));
  }

  async #makeSome(cardUrl: Drawings["cardUrl"]): Promise<void> {
    const enough = performance.now() + ENOUGH;
    do {
      const [card, size] = this.#missing.shift() ?? [];
      if (card === undefined || size === undefined) break;
      const name = faceClass(size, card);
      const url = cardUrl(card, size, this.#look);
      const image = new Image();
      image.src = url;
      this.#read.set(name, image);
      this.#insert(`.${name}{background:0 0/100% 100% url("${url}")}`);
      // Browsers read a picture when the code that asks for it is done.
      await Promise.resolve();
    } while (performance.now() < enough);
    this.#frame = undefined;
    this.#makeSoon();
  }

  #insert(rule: string): void {
    this.#sheet.insertRule(rule, this.#sheet.cssRules.length);
  }
}

/** What cards of a size look like while they have no face. */
function blankRule(size: Size): string {
  return `${CARDS.map((card) => `.${faceClass(size, card)}`).join()}{background-color:${PAPER}}`;
}
