/**
 * Blocks of cards that passes through the stock can clear; `passes` explains their use.
 *
 * The cards that are not home have positions 0 to n - 1, in the order in which every pass deals
 * them. A *block* of a pass is a range of positions, from `start` up to but excluding `end`, that
 * is cleared when this pass plays the card at `start`. All other cards of the range have been
 * played by then, in this pass or earlier ones, so that this card is the waste's top card once the
 * pass has dealt up to `end`.
 *
 * A *state* has the foundation's top in each pass, as the digits of one number: pass p's digit has
 * the weight `base ** p`. A block of pass p depends on the tops of passes 0 to p, changes them, and
 * leaves those of later passes unchanged. So its states are numbers of p + 1 digits, and hold for
 * any higher digits. The lower digits, for the earlier passes, are its *lower* state.
 *
 * This is `engine/solver/blocks.py` with bit sets in typed arrays.
 */

import { BitSets } from "./bitSets.ts";

/**
 * The ways to play a block: the states before it, by the lower state after it. After the block, its
 * pass has the card at the block's start on top. A state may be listed twice.
 */
export type Found = Map<number, number[]>;

/** `blocks[p][start].get(end)`: the existing blocks of pass p. */
export type Blocks = readonly (readonly Map<number, Found>[])[];

/** The ways to clear a range: the bit set of the states after it, by the state before it. */
type Ways = Map<number, number>;

/** The cards that are not home, and the remaining passes. */
export interface Passes {
  /** The kind of each card, by position. Cards of one kind take and follow the same cards. */
  readonly kinds: readonly number[];
  /** For each kind, the tops that take it, in ascending order. */
  readonly before: readonly (readonly number[])[];
  /** The number of tops: the kinds, plus the present top if it has another kind. */
  readonly base: number;
  /** The number of remaining passes, including the present one. */
  readonly count: number;
  /** The number of cards dealt in the present pass, all in the waste. */
  readonly dealt: number;
  readonly top: number;
}

/** Return the element at an index known to exist. */
export function item<T>(list: readonly T[], index: number): T {
  return list[index] as T;
}

/**
 * Return all blocks of all passes.
 *
 * Blocks are found end by end, and by ascending length: the rest of a block is cleared by shorter
 * blocks, or blocks of earlier passes.
 */
export function findBlocks(passes: Passes): Blocks {
  const { kinds, base, count } = passes;
  const blocks = Array.from({ length: count }, () => kinds.map(() => new Map<number, Found>()));
  // The sets of ways without a pass, and with each pass and the earlier ones.
  const sets = Array.from({ length: count + 1 }, (_, nth) => new BitSets(base ** nth));
  for (let end = 0; end <= kinds.length; end++) {
    for (const each of sets) each.clear();
    // Without any pass, only the empty range is cleared.
    const nothing = item(sets, 0).add();
    item(sets, 0).addBit(nothing, 0);
    let earlier: Ways[] = Array.from({ length: end }, () => new Map<number, number>());
    earlier.push(new Map([[0, nothing]]));
    for (let nth = 0; nth < count; nth++) {
      const search = new Search(passes, nth, item(sets, nth), item(sets, nth + 1));
      const own = search.addBlocks(blocks, end, earlier);
      if (nth + 1 < count) own.forEach((ways, start) => search.unite(ways, item(earlier, start)));
      earlier = own;
    }
  }
  return blocks;
}

/** The search for the blocks of one pass that end at one position. */
class Search {
  readonly #passes: Passes;
  readonly #nth: number;
  /** The sets of ways by earlier passes only, and of those by this pass and earlier ones. */
  readonly #lower: BitSets;
  readonly #sets: BitSets;
  /** The weight of this pass's top in a state. */
  readonly #weight: number;

  constructor(passes: Passes, nth: number, lower: BitSets, sets: BitSets) {
    this.#passes = passes;
    this.#nth = nth;
    this.#lower = lower;
    this.#sets = sets;
    this.#weight = passes.base ** nth;
  }

  /**
   * Add the blocks that end at `end`.
   *
   * `blocks` contains the blocks of earlier passes that end here, and all that end before.
   * `earlier` contains, by start, the ways to clear the cards up to `end` by earlier passes only.
   *
   * Returns, by start, the ways to clear them by this pass and earlier ones, with at least one
   * outermost block of this pass.
   */
  addBlocks(
    blocks: readonly (readonly Map<number, Found>[])[],
    end: number,
    earlier: readonly Ways[],
  ): Ways[] {
    const { kinds, base, dealt } = this.#passes;
    const own: Ways[] = Array.from({ length: end + 1 }, () => new Map<number, number>());
    // The present pass cannot play cards before the position it has reached.
    const possible = this.#nth > 0 || end >= dealt;
    for (let start = end - 1; start >= 0; start--) {
      const kind = item(kinds, start);
      const ways = item(own, start);
      const mine = item(item(blocks, this.#nth), start);
      if (possible) {
        const found = this.#blockAround(kind, item(own, start + 1), item(earlier, start + 1));
        if (found.size > 0) mine.set(end, found);
      }
      for (const [middle, found] of mine) {
        for (const [lower, afters] of item(earlier, middle)) {
          for (const state of found.get(lower) ?? []) {
            const to = this.#setOf(ways, state);
            this.#sets.addShifted(to, this.#lower, afters, kind * this.#weight);
          }
        }
      }
      for (let other = 0; other <= this.#nth; other++) {
        const step = base ** other;
        for (const [middle, found] of item(item(blocks, other), start)) {
          const rest = item(own, middle);
          if (rest.size > 0) this.#begin(ways, found, rest, kind * step, base * step);
        }
      }
    }
    return own;
  }

  /** Add the ways to clear a range without this pass. */
  unite(own: Ways, earlier: Ways): void {
    for (const [lower, afters] of earlier) {
      for (let top = 0; top < this.#passes.base * this.#weight; top += this.#weight) {
        this.#sets.addShifted(this.#setOf(own, top + lower), this.#lower, afters, top);
      }
    }
  }

  /** Return the set of a state, added to the ways if absent. */
  #setOf(ways: Ways, state: number): number {
    const known = ways.get(state);
    if (known !== undefined) return known;
    const added = this.#sets.add();
    ways.set(state, added);
    return added;
  }

  /**
   * Return the ways to play a block whose first card has this kind, from the ways to clear its
   * other cards: those with this pass, and those with earlier passes only.
   */
  #blockAround(kind: number, own: Ways, earlier: Ways): Found {
    const found: Found = new Map();
    const note = (lower: number, state: number) => {
      const states = found.get(lower);
      if (states === undefined) found.set(lower, [state]);
      else if (states.at(-1) !== state) states.push(state);
    };
    const tops = item(this.#passes.before, kind).map((top) => top * this.#weight);
    for (const [state, afters] of own) {
      for (const top of tops) {
        this.#sets.forEach(afters, top, this.#weight, (lower) => {
          note(lower, state);
        });
      }
    }
    for (const [before, afters] of earlier) {
      this.#lower.forEach(afters, 0, this.#weight, (lower) => {
        for (const top of tops) note(lower, top + before);
      });
    }
    return found;
  }

  /**
   * Add the ways that start with a block, and clear the rest in one of the ways `rest`. After the
   * block, the top of its pass contributes `at` to a state; the tops of later passes have weights
   * of `step` and more.
   */
  #begin(ways: Ways, found: Found, rest: Ways, at: number, step: number): void {
    const states = this.#passes.base * this.#weight;
    const add = (befores: readonly number[], higher: number, afters: number) => {
      for (const before of befores) {
        this.#sets.addAll(this.#setOf(ways, higher + before), afters);
      }
    };
    // Iterate over the smaller of the two sets.
    if (rest.size < (found.size * states) / step) {
      for (const [state, afters] of rest) {
        const lower = (state % step) - at;
        const befores = found.get(lower);
        if (befores !== undefined) add(befores, state - at - lower, afters);
      }
      return;
    }
    for (const [lower, befores] of found) {
      for (let higher = 0; higher < states; higher += step) {
        const afters = rest.get(higher + at + lower);
        if (afters !== undefined) add(befores, higher, afters);
      }
    }
  }
}
