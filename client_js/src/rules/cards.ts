/**
 * Cards as small integers, piles as arrays, and their notation.
 *
 * A card is `suit * 13 + rank`, 0 to 51, with suits in the order of `SUITS` and ranks in the order
 * of `RANKS`. A pile is an immutable array of cards from bottom to top. A face-down card has the
 * bit `DOWN` set. `UNSEEN` is a card with an unknown face: every face-down card of a view, and a
 * card turned up by a predicted move, until the server's delta arrives.
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

/** Return the rank of a known card, 0 (Ace) to 12 (King). */
export function rankOf(card: Card): number {
  return (card & ~DOWN) % 13;
}

/** Return the suit letter of a known card. */
export function suitOf(card: Card): string {
  return SUITS.charAt(Math.floor((card & ~DOWN) / 13));
}

/** Whether a known card is a heart or a diamond. */
export function isRed(card: Card): boolean {
  return "HD".includes(suitOf(card));
}

/** Whether a card is face down or `UNSEEN`. */
export function isDown(card: Card): boolean {
  return (card & DOWN) !== 0;
}

/** Return the card with a rank of `RANKS` and a suit of `SUITS`. */
export function cardOf(rank: string, suit: string): Card {
  return SUITS.indexOf(suit) * 13 + RANKS.indexOf(rank);
}

/**
 * Return `packs` packs of 52 cards in order: from AS to KC with all four suits. With fewer, each
 * pack repeats the thirteen cards of the given suits.
 */
export function pack(packs: number, suits: string = SUITS): Pile {
  return Array.from({ length: packs * PACK_SIZE }, (_, at) => {
    const suit = suits.charAt(Math.floor(at / RANKS.length) % suits.length);
    return SUITS.indexOf(suit) * RANKS.length + (at % RANKS.length);
  });
}

/** Parse a face-up card such as `TH`, the ten of hearts; throw `bad_card`. */
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

/** Return a card's notation: `TH` face up, `?TH` face down, `??` for `UNSEEN`. */
export function cardName(card: Card): string {
  if (card === UNSEEN) return "??";
  return isDown(card) ? `?${NAMES[card & ~DOWN]}` : (NAMES[card] ?? "??");
}

/** Parse a pile, bottom to top, with face-down cards as `?TH`; throw `bad_card`. */
export function parsePile(names: readonly string[]): Pile {
  return names.map((name) =>
    name.startsWith("?") ? parseCard(name.slice(1)) | DOWN : parseCard(name),
  );
}

/** Return the pile with every face-down card replaced by `UNSEEN`. */
export function seen(pile: Pile): Pile {
  return pile.map((card) => (isDown(card) ? UNSEEN : card));
}

/** Return the pile with every card face down; `UNSEEN` stays `UNSEEN`. */
export function turnedDown(pile: Pile): Pile {
  return pile.map((card) => card | DOWN);
}

/** Return the pile with every card face up, except `UNSEEN`. */
export function turnedUp(pile: Pile): Pile {
  return pile.map((card) => (card === UNSEEN ? UNSEEN : card & ~DOWN));
}
