/**
 * Known deals: the order of the cards is public. Such a deal is named by its order, or by its
 * number: in the classic FreeCell program of Windows, or in PySolFC. `engine/DEALS.md` describes
 * how both programs deal a number.
 */

import { bytesToHex } from "./sha256.ts";
import { type Card, PACK_SIZE, type Pile, RANKS, cardOf } from "./cards.ts";
import { checkDeck, isDeck, parseSeed } from "./deal.ts";
import { EngineError } from "./errors.ts";
import { pysolfcDeck } from "./pysolfc.ts";
import type { Ruleset } from "./ruleset.ts";

/** The greatest deal number. */
export const LAST_DEAL = 2 ** 33 - 1;

/** The columns of the games that numbered deals are for. */
const COLUMNS = "7,7,7,7,6,6,6,6";

/** No deck consists of so few digits, and none of decimal digits alone. */
const NUMBER = /^(?:0|[1-9]\d{0,62})$/;
const PYSOLFC_NUMBER = /^\d{20}$/;

/** PySolFC takes lower numbers for numbers of the classic program. */
const FIRST_OF_PYSOLFC = 32_000n;

/** The deals of the programs themselves, among which the number of a deck is sought. */
const LAST_SOUGHT = 1_000_000;

const PACK: Pile = [...RANKS].flatMap((rank) => [..."CDHS"].map((suit) => cardOf(rank, suit)));

/**
 * Return the hexadecimal deck of a known deal, from its number or its deck. Throw `bad_deck` if
 * there is no such number or the deck is not the game's, `bad_seed` if the text is neither.
 */
export function knownSeed(ruleset: Ruleset, text: string): string {
  const deck = isNumber(text) ? deckOf(ruleset, text) : deckIn(text);
  checkDeck(ruleset, deck);
  return bytesToHex(Uint8Array.from(deck));
}

function isNumber(text: string): boolean {
  return NUMBER.test(text) || PYSOLFC_NUMBER.test(text);
}

function deckOf(ruleset: Ruleset, number: string): Pile {
  if (!hasNumbers(ruleset)) {
    const message = "Only deals of FreeCell have numbers here. Give the cards instead.";
    throw new EngineError("bad_deck", message);
  }
  const named = BigInt(number);
  return PYSOLFC_NUMBER.test(number) && named >= FIRST_OF_PYSOLFC
    ? pysolfcDeck(named)
    : numberedDeck(Number(named));
}

/** Whether a game is dealt as in FreeCell, so that deals have numbers. */
export function hasNumbers({ pack, rules }: Ruleset): boolean {
  return (
    pack.length === PACK_SIZE &&
    new Set(pack).size === PACK_SIZE &&
    String(rules.tableau?.deal) === COLUMNS
  );
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

/** Return a deck's number, or null if it is not among the first million; this takes milliseconds. */
export function numberOf(deck: Pile): number | null {
  const first = PACK.indexOf(deck[0] ?? -1);
  if (deck.length !== PACK.length) return null;
  for (let number = 1; number <= LAST_SOUGHT; number++) {
    if (wordOf(after(number), number) % PACK.length === first && deals(number, deck)) return number;
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
    const at = wordOf(state, number) % pack.length;
    yield pack[at] as Card;
    pack[at] = pack.at(-1) as Card;
    pack.pop();
  }
}

/** Return the generator's next 32-bit state. */
function after(state: number): number {
  return (Math.imul(state, 214_013) + 2_531_011) >>> 0;
}

/** Return a state's random number for a deal: of 15 bits up to 2³¹ - 1, and of 16 bits above. */
function wordOf(state: number, deal: number): number {
  const word = state >>> 16;
  if (deal >= 2 ** 32) return word + 1;
  return deal >= 2 ** 31 ? word | 0x8000 : word & 0x7fff;
}
