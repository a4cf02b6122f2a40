/**
 * PySolFC's numbered deals of FreeCell. Their numbers have 20 digits.
 *
 * PySolFC shuffles with Python's `random.Random`, which is the Mersenne Twister MT19937.
 */

import { type Pile, RANKS, cardOf } from "./cards.ts";

const PACK: Pile = [..."CSHD"].flatMap((suit) => [...RANKS].map((rank) => cardOf(rank, suit)));

const SIZE = 624;
const SHIFT = 397;

/** Return the deck of a deal: 52 face-up cards, the first dealt first. */
export function pysolfcDeck(number: bigint): Pile {
  const words = twisted(seeded(wordsOf(number)));
  const deck = [...PACK];
  let next = 0;
  for (let last = deck.length - 1; last > 0; last--) {
    const [high = 0, low = 0] = words.slice(next, (next += 2)).map(tempered);
    // A random number below 1, of 53 bits.
    const random = ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
    const other = Math.floor(random * (last + 1));
    [deck[last], deck[other]] = [deck[other]!, deck[last]!];
  }
  return deck.toReversed();
}

/** Return a number's 32-bit words, lowest first. */
function wordsOf(number: bigint): readonly number[] {
  const words: number[] = [];
  for (let rest = number; rest > 0n; rest >>= 32n) words.push(Number(rest & 0xffff_ffffn));
  return words;
}

/** Return the generator's state for a key of at most 624 words. */
function seeded(key: readonly number[]): Uint32Array {
  const state = Uint32Array.of(19_650_218, ...Array<number>(SIZE - 1).fill(0));
  const mixed = (at: number, factor: number) => {
    const before = state[at - 1]!;
    return Math.imul(before ^ (before >>> 30), factor);
  };
  for (let at = 1; at < SIZE; at++) state[at] = mixed(at, 1_812_433_253) + at;
  let at = 1;
  const advance = () => {
    if (++at < SIZE) return;
    state[0] = state[SIZE - 1]!;
    at = 1;
  };
  for (let nth = 0; nth < SIZE; nth++, advance()) {
    const place = nth % key.length;
    state[at] = (state[at]! ^ mixed(at, 1_664_525)) + key[place]! + place;
  }
  for (let nth = 1; nth < SIZE; nth++, advance()) {
    state[at] = (state[at]! ^ mixed(at, 1_566_083_941)) - at;
  }
  state[0] = 0x8000_0000;
  return state;
}

/** Return the next 624 words of the generator, before they are tempered. */
function twisted(state: Uint32Array): Uint32Array {
  const words = state.slice();
  for (let at = 0; at < SIZE; at++) {
    const low = words[(at + 1) % SIZE]!;
    const joined = (words[at]! & 0x8000_0000) | (low & 0x7fff_ffff);
    words[at] = words[(at + SHIFT) % SIZE]! ^ (joined >>> 1) ^ (low & 1 ? 0x9908_b0df : 0);
  }
  return words;
}

function tempered(given: number): number {
  let word = given;
  word ^= word >>> 11;
  word ^= (word << 7) & 0x9d2c_5680;
  word ^= (word << 15) & 0xefc6_0000;
  return (word ^ (word >>> 18)) >>> 0;
}
