/** Pseudorandom numbers from a seed, identical on every machine. */

/** A source of 32-bit numbers above 0: Marsaglia's xorshift. */
export type Random = () => number;

export function randomFrom(seed: number): Random {
  // The generator would be stuck at 0.
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
}

/** Return a seed that depends on every character of a text: FNV-1a. */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

/** Return the items in a uniformly random order: Fisher-Yates, from the last one down. */
export function shuffledBy<Item>(random: Random, items: readonly Item[]): Item[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last--) {
    const other = below(last + 1, random);
    [order[last], order[other]] = [order[other] as Item, order[last] as Item];
  }
  return order;
}

/** Return an unbiased number from 0 to `limit` - 1, by rejection. */
function below(limit: number, random: Random): number {
  const bound = 2 ** 32 - (2 ** 32 % limit);
  for (;;) {
    const number = random();
    if (number < bound) return number % limit;
  }
}
