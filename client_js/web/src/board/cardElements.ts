/**
 * The elements of a board's cards. They are for the eye alone: controls and words are beside them.
 *
 * A table has up to 104 cards, and with each move all of them may look different. Comparing a few
 * texts a card in plain code costs a tenth of what as many components cost.
 */

import { UNSEEN, cardName } from "../../../src/rules/cards.ts";
import type { Point } from "./layout.ts";
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

/** How cards get to where they lie. */
export interface Ways {
  /** How a card flies that moves; null to be there at once. */
  flight(piece: Piece): Flight | null;
  /** Where a card comes from that appears; null to be there at once. */
  origin(piece: Piece): Pose | null;
  /** How far from its place the held card was let go. */
  offset(): Point;
}

interface CardElement {
  readonly card: HTMLElement;
  readonly sheet: HTMLElement;
  look: Look;
}

/** A held card lies above those that fly. */
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

  /** Show these cards and no others; after a new arrangement of the board none of them flies. */
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

/** Write what is new in a look. */
function write(card: HTMLElement, sheet: HTMLElement, look: Look, last?: Look): void {
  const { piece, pose, pile, face, marks, held } = look;
  if (!last || !isSame(last.pose, pose)) card.style.transform = transformOf(pose);
  if (last?.marks !== marks) card.className = `card ${marks}`;
  if (last?.face !== face) sheet.className = `sheet ${face}`;
  if (last?.pile !== pile) card.dataset["pile"] = pile;
  if (last?.piece.card !== piece.card) card.dataset["card"] = cardName(piece.card);
  if (last?.piece.index !== piece.index) card.dataset["index"] = `${piece.index}`;
  if (last?.piece.index !== piece.index || last.held !== held)
    card.style.zIndex = `${held ? HELD_LAYER + piece.index : piece.index}`;
}

function shifted({ x, y, scale }: Pose, by: Point): Pose {
  return { x: x + by.x, y: y + by.y, scale };
}
