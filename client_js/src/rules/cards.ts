/**
 * Cards as small integers, and their notation.
 *
 * A card is `suit * 13 + rank`, 0 to 51, with suits in the order of `SUITS` and ranks in that of
 * `RANKS`. A pile is a list of cards from bottom to top that nobody changes. A card that lies face
 * down has the bit `DOWN` set; `UNSEEN` is a card of which no more is known. A view's face-down
 * cards are all `UNSEEN`, and so is, until the server says, a card that a predicted move turns up.
 */

import { EngineError } from "./errors.ts";

export const RANKS = "A23456789TJQK";
export const SUITS = "SHDC";
export const PACK_SIZE = 52;
export const DOWN = 0x40;
export const UNSEEN = 0x7f;

export type Card = number;
export type Pile = readonly Card[];

const NAMES: readonly string[] = [...SUITS].flatMap((suit) =>
  [...RANKS].map((rank) => rank + suit),
);
const CARDS: ReadonlyMap<string, Card> = new Map(NAMES.map((name, card) => [name, card]));

/** The rank of a card whose face is known, 0 (Ace) to 12 (King). */
export function rankOf(card: Card): number {
  return (card & ~DOWN) % 13;
}

/** The suit letter of a card whose face is known. */
export function suitOf(card: Card): string {
  return SUITS.charAt(Math.floor((card & ~DOWN) / 13));
}

/** Whether a card whose face is known is a heart or a diamond. */
export function isRed(card: Card): boolean {
  return "HD".includes(suitOf(card));
}

/** Whether a card lies face down, or is not known. */
export function isDown(card: Card): boolean {
  return (card & DOWN) !== 0;
}

/** The card of a rank of `RANKS` and a suit of `SUITS`. */
export function cardOf(rank: string, suit: string): Card {
  return SUITS.indexOf(suit) * 13 + RANKS.indexOf(rank);
}

/** `packs` unshuffled packs, each from AS to KC. */
export function pack(packs: number): Pile {
  return Array.from({ length: packs * PACK_SIZE }, (_, at) => at % PACK_SIZE);
}

/** The card that `text` names, as in `TH`; throws `bad_card`. */
export function parseCard(text: string): Card {
  const card = CARDS.get(text);
  if (card === undefined) {
    throw new EngineError(
      "bad_card",
      `'${text}' is not a card: a rank of ${RANKS} and a suit of ${SUITS}.`,
    );
  }
  return card;
}

/** The notation of a card; `?` before one that is face down, `??` for an unseen one. */
export function cardName(card: Card): string {
  if (card === UNSEEN) return "??";
  return isDown(card) ? `?${NAMES[card & ~DOWN]}` : (NAMES[card] ?? "??");
}

/** The pile of the cards named, where `?` stands before a face-down one; throws `bad_card`. */
export function parsePile(names: readonly string[]): Pile {
  return names.map((name) =>
    name.startsWith("?") ? parseCard(name.slice(1)) | DOWN : parseCard(name),
  );
}

/** The pile as anyone may see it: every face-down card is `UNSEEN`. */
export function seen(pile: Pile): Pile {
  return pile.map((card) => (isDown(card) ? UNSEEN : card));
}

/** The pile face down; an unseen card stays one. */
export function turnedDown(pile: Pile): Pile {
  return pile.map((card) => card | DOWN);
}

/** The pile face up, but for unseen cards: nobody knows their faces yet. */
export function turnedUp(pile: Pile): Pile {
  return pile.map((card) => (card === UNSEEN ? UNSEEN : card & ~DOWN));
}
