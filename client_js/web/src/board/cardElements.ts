/**
 * The elements of a board's cards. They are visual only: keys and screen readers use `Controls`.
 *
 * A table has up to 104 cards, and each move may change the look of all of them. Plain code that
 * compares a few strings per card costs a tenth of one component per card.
 */

import { UNSEEN, cardName } from "../../../src/rules/cards.ts";
import type { Point } from "./places/boxes.ts";
import type { Look } from "./looks.ts";
import {
  type Flight,
  type Pose,
  glide,
  isSame,
  settle,
  shake,
  transformOf,
  turn,
} from "./motion.ts";
import type { Piece } from "./reconcile.ts";

/** How cards are animated to their positions. */
export interface Ways {
  /** The flight of a moved card; null to move it without animation. */
  flight(piece: Piece): Flight | null;
  /** The start of an added card's flight; null to show it without animation. */
  origin(piece: Piece): Pose | null;
  /** The offset of a held card from its place on release, in pixels. */
  offset(): Point;
}

interface CardElement {
  readonly card: HTMLElement;
  readonly sheet: HTMLElement;
  look: Look;
}

/** The z-index of held cards, above those in flight. */
const HELD_LAYER = 300;

export class CardElements {
  readonly #parent: HTMLElement;
  readonly #ways: Ways;
  readonly #elements = new Map<number, CardElement>();
  #arrangement = 0;

  constructor(parent: HTMLElement, ways: Ways) {
    this.#parent = parent;
    this.#ways = ways;
  }

  /** Show exactly these cards, without animation if `arrangement` has changed. */
  draw(looks: readonly Look[], arrangement: number): void {
    const rearranged = arrangement !== this.#arrangement;
    this.#arrangement = arrangement;
    const wanted = new Set(looks.map(({ piece }) => piece.key));
    for (const [key, { card }] of this.#elements) {
      if (wanted.has(key)) continue;
      card.remove();
      this.#elements.delete(key);
    }
    const added = looks.filter(({ piece }) => !this.#elements.has(piece.key));
    for (const look of looks) {
      const element = this.#elements.get(look.piece.key);
      if (element) this.#change(element, look, rearranged);
    }
    this.#add(added);
  }

  #add(looks: readonly Look[]): void {
    const cards = looks.map((look) => {
      const card = document.createElement("div");
      const sheet = document.createElement("div");
      card.append(sheet);
      write(card, sheet, look);
      this.#elements.set(look.piece.key, { card, sheet, look });
      return card;
    });
    this.#parent.append(...cards);
    looks.forEach(({ piece, pose }, nth) => {
      const from = this.#ways.origin(piece);
      const flight = from && !isSame(from, pose) ? this.#ways.flight(piece) : null;
      if (from && flight) glide(cards[nth] as HTMLElement, from, pose, flight);
    });
  }

  #change(element: CardElement, look: Look, rearranged: boolean): void {
    const { card, sheet, look: last } = element;
    element.look = look;
    write(card, sheet, look, last);
    // A released card flies from where the pointer left it.
    const from = last.held && !look.held ? shifted(last.pose, this.#ways.offset()) : last.pose;
    const flight = isSame(from, look.pose) ? null : this.#ways.flight(look.piece);
    if (look.held || rearranged) settle(card);
    else if (flight) glide(card, from, look.pose, flight);
    const turned = (last.piece.card === UNSEEN) !== (look.piece.card === UNSEEN);
    const shaken = look.shakes > last.shakes;
    if ((turned || shaken) && this.#ways.flight(look.piece)) {
      if (turned) turn(sheet, flight?.delay ?? 0);
      if (shaken) shake(sheet);
    }
  }
}

/** Apply the differences from the previous look to the DOM. */
function write(card: HTMLElement, sheet: HTMLElement, look: Look, last?: Look): void {
  const { piece, pose, pile, face, marks, held, layer } = look;
  if (!last || !isSame(last.pose, pose)) card.style.transform = transformOf(pose);
  if (last?.marks !== marks) card.className = `card ${marks}`;
  if (last?.face !== face) sheet.className = `sheet ${face}`;
  if (last?.pile !== pile) card.dataset["pile"] = pile;
  if (last?.piece.card !== piece.card) card.dataset["card"] = cardName(piece.card);
  if (last?.piece.index !== piece.index) card.dataset["index"] = `${piece.index}`;
  if (last?.layer !== layer || last.held !== held)
    card.style.zIndex = `${held ? HELD_LAYER + layer : layer}`;
}

function shifted({ x, y, scale }: Pose, by: Point): Pose {
  return { x: x + by.x, y: y + by.y, scale };
}
