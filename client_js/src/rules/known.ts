/**
 * Known deals: the order of the cards comes from elsewhere, so that anybody may know it. Such a deal
 * is named by its order, or by its number among those of the classic FreeCell program of Windows.
 *
 * That program shuffles with the `rand` of Microsoft's C library, and takes each card out of a pack
 * in the order AC AD AH AS 2C to KS: the last card left takes the place of the one taken.
 */

import { bytesToHex } from "./sha256.ts";
import { type Card, type Pile, RANKS, cardOf } from "./cards.ts";
import { checkDeck, isDeck, parseSeed } from "./deal.ts";
import { EngineError } from "./errors.ts";
import type { Ruleset } from "./ruleset.ts";

/** The greatest number of a deal. */
export const LAST_DEAL = 1_000_000;

const NUMBER = /^[1-9]\d{0,6}$/;

const PACK: Pile = [...RANKS].flatMap((rank) => [..."CDHS"].map((suit) => cardOf(rank, suit)));

/**
 * The deck of a known deal, in hexadecimal, from its number or from that. Throws `bad_deck` if there
 * is no deal of this number or the deck is not that of the game, `bad_seed` if it is neither.
 */
export function knownSeed(ruleset: Ruleset, text: string): string {
  const deck = NUMBER.test(text) ? numberedDeck(Number(text)) : deckIn(text);
  checkDeck(ruleset, deck);
  return bytesToHex(Uint8Array.from(deck));
}

function deckIn(text: string): Pile {
  const seed = parseSeed(text);
  if (!isDeck(seed)) throw new EngineError("bad_deck", "A known deal is a deck, and not a seed.");
  return [...seed];
}

/** The deck of a numbered deal: 52 cards, face up, the first dealt first; throws `bad_deck`. */
export function numberedDeck(number: number): Pile {
  if (!(number >= 1 && number <= LAST_DEAL)) {
    throw new EngineError("bad_deck", `Numbered deals are from 1 to ${LAST_DEAL}.`);
  }
  return [...cardsOf(number)];
}

/** The number of a deck among the numbered deals, or null; it tries them all, in milliseconds. */
export function numberOf(deck: Pile): number | null {
  const first = PACK.indexOf(deck[0] ?? -1);
  if (deck.length !== PACK.length) return null;
  for (let number = 1; number <= LAST_DEAL; number++) {
    if (wordOf(after(number)) % PACK.length === first && deals(number, deck)) return number;
  }
  return null;
}

/** What a known deal is called: its number, or its deck if it has none. */
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

/** The state of the generator, of 31 bits, that follows another. */
function after(state: number): number {
  return (Math.imul(state, 214_013) + 2_531_011) & 0x7fff_ffff;
}

/** The number of 15 bits that a state gives. */
function wordOf(state: number): number {
  return state >>> 16;
}
