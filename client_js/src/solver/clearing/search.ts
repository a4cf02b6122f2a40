/** The search: depth-first, with a table of all positions seen. */

import { HALF, countIn } from "../graph/cardSets.ts";
import { Seen } from "./seen.ts";
import { DEAL, KINDS, NO_PARTNER, REDEAL, type Tables } from "./tables.ts";

/** The most moves of a line. */
const DEEPEST = 1_000;

/** The most moves from a position: at most 30 pairs of the at most 11 cards available at once. */
const MOST_MOVES = 43;

/** Rows of `Tables.sets`. */
const PEAKS = 0;
const GOAL = 1;
const ALONE = 2;

export class Search {
  /** The number of generated positions. */
  steps = 0;
  /** Whether positions were discarded. */
  cut = false;
  /** The moves that win, or else bring the most cards home. */
  line: readonly number[] = [];
  private home = 0;
  private depth = 0;
  private readonly tables: Tables;
  private readonly seen: Seen;

  // The positions of the current line, by depth: the cards left, as a set in two halves; and what
  // `Tables.first` and `Tables.second` describe.
  private readonly low = new Int32Array(DEEPEST + 2);
  private readonly high = new Int32Array(DEEPEST + 2);
  private readonly first = new Int32Array(DEEPEST + 2);
  private readonly second = new Int32Array(DEEPEST + 2);
  /** The move that led to each. */
  private readonly played = new Int32Array(DEEPEST + 2);
  /** The number of moves left to try from each, and these moves; the last one is tried first. */
  private readonly left = new Int32Array(DEEPEST + 2);
  private readonly moves = new Int32Array((DEEPEST + 2) * MOST_MOVES);

  /** Whether cards can go home from the current position, as a set in two halves. */
  private openLow = 0;
  private openHigh = 0;

  /** @param seen room for that many positions, a power of 2. */
  constructor(tables: Tables, seen: number) {
    this.tables = tables;
    this.seen = new Seen(seen);
    const { cards } = tables;
    this.low[0] = 2 ** Math.min(cards, HALF) - 1;
    this.high[0] = 2 ** Math.max(0, cards - HALF) - 1;
    this.first[0] = tables.first;
    this.second[0] = tables.second;
  }

  /** The number of positions in the table. */
  get entered(): number {
    return this.seen.size;
  }

  /** Search until a win, or until positions, `limit` steps or memory run out. */
  run(limit: number): void {
    const { left, moves, seen } = this;
    if (this.isHopeless()) return;
    this.isNew();
    this.list();
    for (;;) {
      while (left[this.depth] === 0) {
        if (this.depth === 0) return;
        this.depth -= 1;
      }
      if (this.steps >= limit || seen.isFull) {
        this.cut = true;
        return;
      }
      this.steps += 1;
      const from = this.depth;
      left[from]! -= 1;
      const move = moves[from * MOST_MOVES + left[from]!]!;
      this.play(move);
      if (move < DEAL && this.keepBest()) return;
      if ((move < DEAL && this.isHopeless()) || !this.isNew()) {
        this.depth = from;
      } else if (this.depth >= DEEPEST) {
        this.cut = true;
        this.depth = from;
      } else {
        this.list();
      }
    }
  }

  private list(): void {
    this.left[this.depth] = 0;
    this.findOpen();
    if (this.tables.pairs) this.listPairs();
    else this.listBuilds();
  }

  private add(move: number): void {
    const { depth } = this;
    this.moves[depth * MOST_MOVES + this.left[depth]!] = move;
    this.left[depth]! += 1;
  }

  /** Find the cards of the peaks that nothing covers. */
  private findOpen(): void {
    const { across, sets } = this.tables;
    const low = this.low[this.depth]!;
    const high = this.high[this.depth]!;
    let leftLow = low & sets.low[PEAKS]!;
    let leftHigh = high & sets.high[PEAKS]!;
    this.openLow = 0;
    this.openHigh = 0;
    while ((leftLow | leftHigh) !== 0) {
      const place = lowest(leftLow, leftHigh);
      const isFree = ((across.low[place]! & low) | (across.high[place]! & high)) === 0;
      if (leftLow !== 0) {
        if (isFree) this.openLow |= leftLow & -leftLow;
        leftLow &= leftLow - 1;
      } else {
        if (isFree) this.openHigh |= leftHigh & -leftHigh;
        leftHigh &= leftHigh - 1;
      }
    }
  }

  /** List the moves of a game in which single cards go home. */
  private listBuilds(): void {
    const { takes, kinds } = this.tables;
    if (this.second[this.depth]! > 0) this.add(DEAL);
    const row = this.first[this.depth]! * KINDS;
    let { openLow, openHigh } = this;
    while ((openLow | openHigh) !== 0) {
      const place = lowest(openLow, openHigh);
      if (openLow !== 0) openLow &= openLow - 1;
      else openHigh &= openHigh - 1;
      if (takes[row + kinds[place]!] === 1) this.add(place);
    }
  }

  /** List the moves of a game of pairs: a single one if it loses nothing. */
  private listPairs(): void {
    const { tables, depth } = this;
    const { partners, sets, places, turns } = tables;
    const low = this.low[depth]!;
    const high = this.high[depth]!;
    const dealt = this.first[depth]!;
    // The last dealt card is never home.
    const top = dealt > 0 ? places + dealt - 1 : -1;
    const freeLow = this.openLow | lowBit(top);
    const freeHigh = this.openHigh | highBit(top);
    // Taking a card out of the waste changes which cards come up, unless they all do.
    const safeLow = turns === 1 ? freeLow : this.openLow;
    const safeHigh = turns === 1 ? freeHigh : this.openHigh;
    const aloneLow = freeLow & sets.low[ALONE]!;
    const aloneHigh = freeHigh & sets.high[ALONE]!;
    if (((aloneLow & safeLow) | (aloneHigh & safeHigh)) !== 0) {
      this.add(lowest(aloneLow & safeLow, aloneHigh & safeHigh) | (NO_PARTNER << 6));
      return;
    }
    // A card of the peaks with only one partner left must go with it in any case.
    let leftLow = this.openLow;
    let leftHigh = this.openHigh;
    while ((leftLow | leftHigh) !== 0) {
      const card = lowest(leftLow, leftHigh);
      if (leftLow !== 0) leftLow &= leftLow - 1;
      else leftHigh &= leftHigh - 1;
      const withLow = partners.low[card]! & low;
      const withHigh = partners.high[card]! & high;
      const isSafe = ((withLow & ~safeLow) | (withHigh & ~safeHigh)) === 0;
      if (isSafe && countIn(withLow) + countIn(withHigh) === 1) {
        this.add(card | (lowest(withLow, withHigh) << 6));
        return;
      }
    }
    if (this.waiting(depth, dealt) > 0) this.add(DEAL);
    else if (top >= 0 && (tables.endless || this.second[depth]! > 0)) this.add(REDEAL);
    if ((aloneLow | aloneHigh) !== 0) this.add(lowest(aloneLow, aloneHigh) | (NO_PARTNER << 6));
    leftLow = freeLow;
    leftHigh = freeHigh;
    while ((leftLow | leftHigh) !== 0) {
      const card = lowest(leftLow, leftHigh);
      if (leftLow !== 0) leftLow &= leftLow - 1;
      else leftHigh &= leftHigh - 1;
      let withLow = partners.low[card]! & leftLow;
      let withHigh = partners.high[card]! & leftHigh;
      while ((withLow | withHigh) !== 0) {
        this.add(card | (lowest(withLow, withHigh) << 6));
        if (withLow !== 0) withLow &= withLow - 1;
        else withHigh &= withHigh - 1;
      }
    }
  }

  /** Return how far from the dealt part of the stock the next card is; 0 if none is left. */
  private waiting(depth: number, dealt: number): number {
    const { places, cards } = this.tables;
    for (let card = places + dealt; card < cards; card++) {
      if (this.has(depth, card)) return card - places - dealt + 1;
    }
    return 0;
  }

  private has(depth: number, card: number): boolean {
    return ((this.low[depth]! & lowBit(card)) | (this.high[depth]! & highBit(card))) !== 0;
  }

  /** Whether a card that must go home has lost all partners. */
  private isHopeless(): boolean {
    const { pairs, sets, partners } = this.tables;
    if (!pairs) return false;
    const low = this.low[this.depth]!;
    const high = this.high[this.depth]!;
    let leftLow = low & sets.low[GOAL]! & ~sets.low[ALONE]!;
    let leftHigh = high & sets.high[GOAL]! & ~sets.high[ALONE]!;
    while ((leftLow | leftHigh) !== 0) {
      const card = lowest(leftLow, leftHigh);
      if (((partners.low[card]! & low) | (partners.high[card]! & high)) === 0) return true;
      if (leftLow !== 0) leftLow &= leftLow - 1;
      else leftHigh &= leftHigh - 1;
    }
    return false;
  }

  /** Add the current position to the table, and return whether it is new. */
  private isNew(): boolean {
    const { depth } = this;
    // Without pairs, few cards have numbers, but the stock may have more than 6 bits.
    const shift = Math.max(0, this.tables.cards - HALF);
    return this.seen.add(
      this.low[depth]! | (this.first[depth]! << HALF),
      this.high[depth]! | (this.second[depth]! << shift),
    );
  }

  /** Go to the position after a move. */
  private play(move: number): void {
    const { tables, depth } = this;
    const after = depth + 1;
    let low = this.low[depth]!;
    let high = this.high[depth]!;
    let first = this.first[depth]!;
    let second = this.second[depth]!;
    if (move === REDEAL) {
      first = 0;
      if (!tables.endless) second -= 1;
    } else if (move === DEAL && tables.pairs) {
      for (let turn = 0; turn < tables.turns; turn++) first += this.waiting(depth, first);
    } else if (move === DEAL) {
      first = tables.dealt[second]!;
      second -= 1;
    } else {
      const card = move & 63;
      low &= ~lowBit(card);
      high &= ~highBit(card);
      if (!tables.pairs) {
        first = tables.kinds[card]!;
      } else {
        const partner = move >> 6;
        if (partner !== NO_PARTNER) {
          low &= ~lowBit(partner);
          high &= ~highBit(partner);
        }
        // Cards that are home were as good as never dealt.
        let last = tables.places + first - 1;
        while (first > 0 && ((low & lowBit(last)) | (high & highBit(last))) === 0) {
          first -= 1;
          last -= 1;
        }
      }
    }
    this.low[after] = low;
    this.high[after] = high;
    this.first[after] = first;
    this.second[after] = second;
    this.left[after] = 0;
    this.played[after] = move;
    this.depth = after;
  }

  /**
   * Keep the current line if it wins, or no other brought more cards home; return whether it wins.
   */
  private keepBest(): boolean {
    const { depth, tables } = this;
    const { sets, cards } = tables;
    const low = this.low[depth]!;
    const high = this.high[depth]!;
    const won = ((low & sets.low[GOAL]!) | (high & sets.high[GOAL]!)) === 0;
    const home = cards - countIn(low) - countIn(high);
    if (won || home > this.home) {
      this.home = home;
      this.line = [...this.played.subarray(1, depth + 1)];
    }
    return won;
  }
}

/** Return the card with the lowest number of a set that is not empty. */
function lowest(low: number, high: number): number {
  return low !== 0 ? 31 - Math.clz32(low & -low) : HALF + 31 - Math.clz32(high & -high);
}

/** Return a card's bit in the low half of a set; 0 for none. */
function lowBit(card: number): number {
  return card >= 0 && card < HALF ? 1 << card : 0;
}

/** Return a card's bit in the high half of a set. */
function highBit(card: number): number {
  return card >= HALF ? 1 << (card - HALF) : 0;
}
