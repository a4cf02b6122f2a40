/** Card faces as CSS classes: an element with the class `face-medium-12` shows a king. */

import type { Drawings } from "./drawings.ts";
import type { CardLook } from "./look.ts";
import { CARDS, type Size } from "./sizes.ts";

export function faceClass(size: Size, card: number | "back"): string {
  return `face-${size}-${card}`;
}

/** Milliseconds per frame for creating pictures, which browsers take some time to decode. */
const FRAME_BUDGET = 12;

/** The colour of cards without a face so far. */
const PAPER = "#fdfbf4";

type Missing = readonly [card: number | "back", size: Size];

/**
 * The document's stylesheet of cards. The rules of each size are created on first use, a few per
 * frame; until then, a card is blank.
 */
export class CardStyles {
  readonly #sheet = new CSSStyleSheet();
  readonly #sizes = new Set<Size>();
  #look: CardLook;
  #drawings: Drawings | undefined;
  #frame: number | undefined;
  #missing: Missing[] = [];
  /** Retains decoded pictures, so that none is decoded during an animation. */
  readonly #decoded = new Map<string, HTMLImageElement>();

  /** `drawings`: the module, which may still be loading. */
  constructor(document: Document, look: CardLook, drawings: Promise<Drawings>) {
    this.#look = look;
    document.adoptedStyleSheets.push(this.#sheet);
    const keep = (here: Drawings) => {
      this.#drawings = here;
      this.#scheduleMaking();
    };
    // Without drawings, cards stay blank; the caller reports the error.
    drawings.then(keep, () => undefined);
  }

  show(look: CardLook): void {
    if (look.deck === this.#look.deck && look.back === this.#look.back) return;
    this.#look = look;
    this.#sheet.replaceSync("");
    this.#missing = [];
    this.#decoded.clear();
    this.#make([...this.#sizes]);
  }

  /** Create the cards of these sizes if missing: those of `first` before the others, in order. */
  need(sizes: Iterable<Size>, first: () => readonly number[] = () => []): void {
    const missing = [...new Set(sizes)].filter((size) => !this.#sizes.has(size));
    if (missing.length === 0) return;
    for (const size of missing) this.#sizes.add(size);
    this.#make(missing, first());
  }

  /** Return the picture of a card in a requested size; undefined until it is created. */
  picture(size: Size, card: number): HTMLImageElement | undefined {
    return this.#decoded.get(faceClass(size, card));
  }

  #make(sizes: readonly Size[], first: readonly number[] = []): void {
    const cards = [...new Set([...first.filter((card) => CARDS.includes(card)), ...CARDS])];
    const all = (size: Size) => ["back" as const, ...cards].map((card): Missing => [card, size]);
    this.#missing.push(...sizes.flatMap(all));
    for (const size of sizes) this.#insert(blankRule(size));
    this.#scheduleMaking();
  }

  #scheduleMaking(): void {
    if (this.#drawings === undefined || this.#missing.length === 0) return;
    const { cardUrl } = this.#drawings;
    this.#frame ??= requestAnimationFrame(() => void this.#makeSome(cardUrl));
  }

  async #makeSome(cardUrl: Drawings["cardUrl"]): Promise<void> {
    const deadline = performance.now() + FRAME_BUDGET;
    do {
      const [card, size] = this.#missing.shift() ?? [];
      if (card === undefined || size === undefined) break;
      const name = faceClass(size, card);
      const url = cardUrl(card, size, this.#look);
      const image = new Image();
      image.src = url;
      this.#decoded.set(name, image);
      this.#insert(`.${name}{background:0 0/100% 100% url("${url}")}`);
      // Browsers decode a picture only after the requesting code has returned.
      await Promise.resolve();
    } while (performance.now() < deadline);
    this.#frame = undefined;
    this.#scheduleMaking();
  }

  #insert(rule: string): void {
    this.#sheet.insertRule(rule, this.#sheet.cssRules.length);
  }
}

/** Return the rule for cards of a size without a face so far. */
function blankRule(size: Size): string {
  return `${CARDS.map((card) => `.${faceClass(size, card)}`).join()}{background-color:${PAPER}}`;
}
