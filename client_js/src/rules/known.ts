/**
 * Known deals: the order of the cards is public. Such a deal is named by its order, or by its
 * number among the deals of the classic Windows FreeCell.
 *
 * That program shuffles with the `rand` of Microsoft's C library. It draws each card from a pack in
 * the order AC AD AH AS 2C to KS; the last remaining card takes the drawn one's place.
 */

import { bytesToHex } from "./sha256.ts";
import { type Card, type Pile, RANKS, cardOf } from "./cards.ts";
import { checkDeck, isDeck, parseSeed } from "./deal.ts";
import { EngineError } from "./errors.ts";
import type { Ruleset } from "./ruleset.ts";

/** The greatest deal number. */
export const LAST_DEAL = 1_000_000;

const NUMBER = /^[1-9]\d{0,6}$/;

const PACK: Pile = [...RANKS].flatMap((rank) => [..."CDHS"].map((suit) => cardOf(rank, suit)));

/**
 * Return the hexadecimal deck of a known deal, from its number or its deck. Throw `bad_deck` if
 * there is no such number or the deck is not the game's, `bad_seed` if the text is neither.
 */
export function knownSeed(ruleset: Ruleset, text: string): string {
  const deck = NUMBER.test(text) ? numberedDeck(Number(text)) : deckIn(text);
  checkDeck(ruleset, deck);
  return bytesToHex(Uint8Array.from(deck));
}

function deckIn(text: string): Pile {
  const seed = parseSeed(text);
  if (!isDeck(seed)) throw new EngineError("bad_deck", "A known deal is a deck, not a seed.");
  return [...seed];
}

/** Return a numbered deal's deck: 52 face-up cards, the first dealt first; throw `bad_deck`. */
export function numberedDeck(number: number): Pile {
  if (!(number >= 1 && number <= LAST_DEAL)) {
    throw new EngineError("bad_deck", `Numbered deals are from 1 to ${LAST_DEAL}.`);
  }
  return [...cardsOf(number)];
}

/** Return a deck's number among the numbered deals, or null; this takes milliseconds. */
export function numberOf(deck: Pile): number | null {
  const first = PACK.indexOf(deck[0] ?? -1);
  if (deck.length !== PACK.length) return null;
  for (let number = 1; number <= LAST_DEAL; number++) {
    if (wordOf(after(number)) % PACK.length === first && deals(number, deck)) return number;
  }
  return null;
}

/** Return a known deal's name: its number, or its deck if it has none. */
export function knownName(seed: string): string {
  const number = numberOf([...parseSeed(seed)]);
  return number === null ? seed : String(number);
}

function deals(number: number, deck: Pile): boolean {
  let at = 0;
  for (const card of cardsOf(number)) if (card !== deck[at++]) return false;
  return true;
}

function* cardsOf(number: number): Generator<Card> {
  const pack = [...PACK];
  for (let state = after(number); pack.length > 0; state = after(state)) {
    const at = wordOf(state) % pack.length;
    yield pack[at] as Card;
    pack[at] = pack.at(-1) as Card;
    pack.pop();
  }
}

/** Return the generator's next 31-bit state. */
function after(state: number): number {
  return (Math.imul(state, 214_013) + 2_531_011) & 0x7fff_ffff;
}

/** Return the 15-bit number that a state yields. */
function wordOf(state: number): number {
  return state >>> 16;
}
