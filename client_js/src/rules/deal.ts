/**
 * Deals: a secret seed determines the order of the pack, and so the board. See `engine/DEALS.md`.
 *
 * SHA-256 is implemented here, because browsers restrict Web Crypto to pages served over HTTPS.
 */

import type { Board } from "./board.ts";
import { type Card, PACK_SIZE, type Pile, cardName, turnedDown, turnedUp } from "./cards.ts";
import { EngineError } from "./errors.ts";
import { dealtDown } from "./peaks.ts";
import type { Ruleset } from "./ruleset.ts";
import type { Reserve, Tableau } from "./schema.ts";
import { bytesToHex, concatBytes, hexToBytes, sha256, utf8ToBytes } from "./sha256.ts";

const STREAM_LABEL = utf8ToBytes("samedeal deal 1\0");
const COMMITMENT_LABEL = utf8ToBytes("samedeal commitment 1\0");
const WORD = 2 ** 32;

const SEED_BYTES = 32;

/**
 * Parse a hexadecimal seed of 32 bytes, or a known deal's deck, one byte per card. Throw `bad_seed`
 * if the text is neither 64 lower-case digits nor a deck of face-up cards.
 */
export function parseSeed(text: string): Uint8Array {
  if (!/^([0-9a-f]{64}|([0-9a-f]{104}){1,2})$/.test(text)) {
    throw new EngineError("bad_seed", "A seed is 64 lower-case hexadecimal digits.");
  }
  const seed = hexToBytes(text);
  if (isDeck(seed) && Math.max(...seed) >= PACK_SIZE) {
    throw new EngineError(
      "bad_seed",
      "A known deal has two lower-case hexadecimal digits for each card.",
    );
  }
  return seed;
}

/** Whether a deal's seed is a known deal's deck. */
export function isDeck(seed: Uint8Array): boolean {
  return seed.length !== SEED_BYTES;
}

/** Return the commitment published before play: SHA-256 over the deal's id and seed, in hex. */
export function commitment(dealId: string, seed: Uint8Array): string {
  const text = concatBytes(COMMITMENT_LABEL, utf8ToBytes(`${dealId}\0`), seed);
  return bytesToHex(sha256(text));
}

/** Return `cards` shuffled by the seed: Fisher-Yates, from the last index down. */
export function shuffled(cards: Pile, seed: Uint8Array): Pile {
  const order = [...cards];
  const words = wordsOf(seed);
  for (let last = order.length - 1; last > 0; last--) {
    const other = below(last + 1, words);
    const card = order[last] as Card;
    order[last] = order[other] as Card;
    order[other] = card;
  }
  return order;
}

/** Yield 32-bit big-endian words from the seed: SHA-256 in counter mode. */
function* wordsOf(seed: Uint8Array): Generator<number, never> {
  for (let counter = 0n; ; counter++) {
    const count = new DataView(new ArrayBuffer(8));
    count.setBigUint64(0, counter);
    const block = sha256(concatBytes(STREAM_LABEL, seed, new Uint8Array(count.buffer)));
    const words = new DataView(block.buffer, block.byteOffset, block.byteLength);
    for (let at = 0; at < words.byteLength; at += 4) yield words.getUint32(at);
  }
}

/** Return an unbiased number below `limit`: words from its greatest multiple up are rejected. */
function below(limit: number, words: Generator<number, never>): number {
  const bound = WORD - (WORD % limit);
  for (;;) {
    const word = words.next().value;
    if (word < bound) return word % limit;
  }
}

/** Deal the initial board from a 32-byte seed or a known deal's deck; throw `bad_deck`. */
export function dealSeed(ruleset: Ruleset, seed: Uint8Array): Board {
  return layOut(ruleset, isDeck(seed) ? [...seed] : shuffled(ruleset.pack, seed));
}

/** Deal the initial board from a deck, first card first; throw `bad_deck`. */
export function layOut(ruleset: Ruleset, deck: Pile): Board {
  checkDeck(ruleset, deck);
  const piles: Pile[] = ruleset.pileNames.map(() => []);
  const rest = [...deck];
  for (const [pile, card] of ruleset.laidOut()) {
    piles[pile] = rest.splice(rest.indexOf(card), 1);
  }
  ruleset.groups.forEach((group, pile) => {
    if (group.setup === "dealt") piles[pile] = rest.splice(0, 1);
  });
  dealRounds(piles, ruleset.reserve, ruleset.rules.reserve, rest);
  dealRounds(piles, ruleset.tableau, ruleset.rules.tableau, rest);
  const stock = turnedDown(rest.toReversed());
  const up = ruleset.rules.stock.top === "up" ? 1 : 0;
  const hidden = stock.length - up;
  piles[ruleset.stock] = [...stock.slice(0, hidden), ...turnedUp(stock.slice(hidden))];
  return { ruleset, piles, redeals: 0, moves: 0 };
}

/** Deal from the front of `rest`, in rounds of one card to each incomplete pile. */
function dealRounds(
  piles: Pile[],
  numbers: readonly number[],
  part: Reserve | Tableau | null,
  rest: Card[],
): void {
  if (part === null) return;
  for (let round = 0; round < Math.max(...part.deal); round++) {
    numbers.forEach((pile, at) => {
      if ((part.deal[at] ?? 0) > round) {
        piles[pile] = [...(piles[pile] ?? []), ...rest.splice(0, 1)];
      }
    });
  }
  const down = dealtDown(part);
  numbers.forEach((pile, at) => {
    const cards = piles[pile] ?? [];
    const hidden = down[at] ?? 0;
    piles[pile] = [...turnedDown(cards.slice(0, hidden)), ...cards.slice(hidden)];
  });
}

/** Check that `cards`, all face up, are exactly the packs of this game; throw `bad_deck`. */
export function checkDeck(ruleset: Ruleset, cards: Pile): void {
  const wanted = counted(ruleset.pack);
  const found = counted(cards);
  for (const card of [...wanted.keys(), ...found.keys()]) {
    const [want, have] = [wanted.get(card) ?? 0, found.get(card) ?? 0];
    if (want === have) continue;
    throw new EngineError(
      "bad_deck",
      `${ruleset.game} needs ${ruleset.total} cards with ${want} of ${cardName(card)}; ` +
        `this deck has ${cards.length} with ${have}.`,
    );
  }
}

function counted(cards: Pile): ReadonlyMap<Card, number> {
  const found = new Map<Card, number>();
  for (const card of cards) found.set(card, (found.get(card) ?? 0) + 1);
  return found;
}
