/** The search's current position, with moves that can be played and undone. */

import { type Board, cardsHome } from "../../rules/board.ts";
import { PACK_SIZE, isDown, turnedUp } from "../../rules/cards.ts";
import { ENDLESS } from "../../rules/ruleset.ts";
import { LANES, digestOfPile, mixed } from "../beam/hashes.ts";
import { HALF } from "./cardSets.ts";
import * as move from "./encoding.ts";
import { HOME, NONE, TALON } from "./encoding.ts";
import { TOPS, type Tables } from "./tables.ts";

/** The number of bytes per pile. */
export const STRIDE = 64;

/** The fields of an undo record, and its size. */
const [MOVE, LEFT_LOW, LEFT_HIGH, STATE, TOP, FLAGS, UNDO] = [0, 1, 2, 3, 4, 5, 6] as const;

/** Salts for the parts of a digest other than piles. */
const SALTS = [0x1f3d5b79, 0x2a6c8e10] as const;

export class Position {
  readonly tables: Tables;
  /** For each pile its cards, their number, and the number of face-down ones. */
  readonly cards: Uint8Array;
  readonly size: Uint8Array;
  readonly hidden: Uint8Array;
  /** The top card of each foundation, or `NONE`. */
  readonly tops: Int8Array;
  /** The initial cards of waste and stock in dealing order, and their number. */
  readonly drawn = new Uint8Array(PACK_SIZE);
  stock = 0;
  /** The cards remaining in stock and waste, as a set of places of the deal. */
  leftLow = 0;
  leftHigh = 0;
  /** The number of cards in the waste. */
  waste = 0;
  /** The number of redeals, as far as it is counted. */
  redeals = 0;
  /** The binding of the next move; 0 if it is free. */
  bound = 0;
  /** The cards home and their number, and the cards that some foundation takes. */
  homeLow = 0;
  homeHigh = 0;
  home = 0;
  nextLow = 0;
  nextHigh = 0;
  /** Whether automatic moves home are well-defined. */
  regular = false;
  played = 0;
  /** The lanes of the last computed digest. */
  digest0 = 0;
  digest1 = 0;

  /** The hash of each pile's cards: `[pile * LANES + lane]`. */
  private readonly hashes: Int32Array;
  private readonly undo: Int32Array;

  /** @param moves the most moves of a line. */
  constructor(tables: Tables, moves: number) {
    const { piles, foundations } = tables;
    this.tables = tables;
    this.cards = new Uint8Array(STRIDE * piles);
    this.size = new Uint8Array(piles);
    this.hidden = new Uint8Array(piles);
    this.hashes = new Int32Array(LANES * piles);
    this.tops = new Int8Array(foundations);
    this.undo = new Int32Array(UNDO * moves);
  }

  begin(board: Board): void {
    const { tables } = this;
    const { ruleset, piles } = board;
    tables.numbers.forEach((number, pile) => {
      const cards = piles[number] ?? [];
      this.empty(pile);
      for (const card of turnedUp(cards)) this.put(pile, card);
      this.hidden[pile] = pile < tables.columns ? cards.filter(isDown).length : 0;
    });
    this.homeLow = this.homeHigh = 0;
    for (const foundation of ruleset.foundations) {
      const cards = piles[foundation] ?? [];
      this.tops[foundation] = cards.at(-1) ?? NONE;
      for (const card of cards) this.flipHome(card);
    }
    this.home = cardsHome(board);
    const waste = ruleset.waste === null ? [] : (piles[ruleset.waste] ?? []);
    const drawn = [...waste, ...turnedUp(piles[ruleset.stock] ?? []).toReversed()];
    this.drawn.set(drawn);
    this.stock = drawn.length;
    this.leftLow = this.leftHigh = 0;
    drawn.forEach((_, place) => this.flipLeft(place));
    this.waste = waste.length;
    this.redeals = tables.redeals < ENDLESS ? board.redeals : 0;
    this.bound = 0;
    this.played = 0;
    this.regular = tables.regular && (tables.waste.home || drawn.length === 0);
    this.findNext();
  }

  /** The talon's state, without its cards, and the binding, as one number. */
  get state(): number {
    return this.waste | (this.redeals << 8) | (this.bound << 24);
  }

  set state(state: number) {
    this.waste = state & 0xff;
    this.redeals = (state >> 8) & 0xffff;
    this.bound = state >> 24;
  }

  empty(pile: number): void {
    this.size[pile] = 0;
    this.hashes.fill(0, LANES * pile, LANES * (pile + 1));
  }

  put(pile: number, card: number): void {
    const place = this.size[pile]!++;
    this.cards[pile * STRIDE + place] = card;
    this.flipHash(pile, place, card);
  }

  /** Return the top card of a non-empty pile. */
  topOf(pile: number): number {
    return this.cards[pile * STRIDE + this.size[pile]! - 1]!;
  }

  private take(pile: number): number {
    const place = --this.size[pile]!;
    const card = this.cards[pile * STRIDE + place]!;
    this.flipHash(pile, place, card);
    return card;
  }

  private flipHash(pile: number, place: number, card: number): void {
    const { hashes } = this;
    const { random } = this.tables;
    const at = (place * PACK_SIZE + card) * LANES;
    hashes[LANES * pile]! ^= random[at]!;
    hashes[LANES * pile + 1]! ^= random[at + 1]!;
  }

  private carry(source: number, target: number, count: number): void {
    const first = this.size[source]! - count;
    for (let place = first; place < first + count; place++) {
      const card = this.cards[source * STRIDE + place]!;
      this.flipHash(source, place, card);
      this.put(target, card);
    }
    this.size[source] = first;
  }

  private flipHome(card: number): void {
    if (card < HALF) this.homeLow ^= 1 << card;
    else this.homeHigh ^= 1 << (card - HALF);
  }

  private flipLeft(place: number): void {
    if (place < HALF) this.leftLow ^= 1 << place;
    else this.leftHigh ^= 1 << (place - HALF);
  }

  private setTop(foundation: number, top: number, card: number, more: number): void {
    this.tops[foundation] = top;
    this.flipHome(card);
    this.home += more;
    this.findNext();
  }

  /** Compute the cards that the foundations take. */
  findNext(): void {
    const { group, homes, foundations } = this.tables;
    let [low, high] = [0, 0];
    for (let f = 0; f < foundations; f++) {
      const row = group[f]! * TOPS + this.tops[f]! + 1;
      low |= homes.low[row]!;
      high |= homes.high[row]!;
    }
    this.nextLow = low;
    this.nextHigh = high;
  }

  /** Play a legal move, and record how to undo it. */
  play(number: number): void {
    const { undo, tops, tables } = this;
    const source = move.sourceOf(number);
    const target = move.targetOf(number);
    const record = UNDO * this.played++;
    undo[record + MOVE] = number;
    undo[record + LEFT_LOW] = this.leftLow;
    undo[record + LEFT_HIGH] = this.leftHigh;
    undo[record + STATE] = this.state;
    undo[record + TOP] = NONE;
    this.bound = move.boundOf(number);
    if (source < TALON && target < TALON) {
      this.carry(source, target, move.countOf(number));
    } else {
      let card: number;
      if (source < TALON) {
        card = this.take(source);
      } else if (source === TALON) {
        const place = move.placeOf(number);
        card = this.drawn[place]!;
        this.flipLeft(place);
        this.waste = move.wasteOf(number);
        this.redeals += move.turnedOf(number);
      } else {
        card = tops[source - HOME]!;
        undo[record + TOP] = card;
        this.setTop(source - HOME, tables.before[card]!, card, -1);
      }
      if (target < TALON) {
        this.put(target, card);
      } else {
        undo[record + TOP] = tops[target - HOME]!;
        this.setTop(target - HOME, card, card, 1);
      }
    }
    undo[record + FLAGS] = source < tables.columns ? this.uncover(source) : 0;
  }

  /**
   * Turn up or fill a tableau pile that cards have left.
   *
   * @returns 1 if its top card was turned up; twice the filling pile's number plus 2 if it was
   * filled; else 0.
   */
  private uncover(column: number): number {
    const { size, hidden, tables } = this;
    if (size[column]! > 0) {
      if (hidden[column] !== size[column]) return 0;
      hidden[column]! -= 1;
      return 1;
    }
    if (!tables.fills) return 0;
    for (let pile = tables.columns + tables.cells; pile < tables.piles; pile++) {
      if (size[pile] === 0) continue;
      this.put(column, this.take(pile));
      return 2 * (pile + 1);
    }
    return 0;
  }

  takeBack(): void {
    const { undo, tops } = this;
    const record = UNDO * --this.played;
    const number = undo[record + MOVE]!;
    const flags = undo[record + FLAGS]!;
    const source = move.sourceOf(number);
    const target = move.targetOf(number);
    if (flags === 1) this.hidden[source]! += 1;
    else if (flags > 1) this.put((flags >> 1) - 1, this.take(source));
    this.state = undo[record + STATE]!;
    this.leftLow = undo[record + LEFT_LOW]!;
    this.leftHigh = undo[record + LEFT_HIGH]!;
    if (source < TALON && target < TALON) {
      this.carry(target, source, move.countOf(number));
      return;
    }
    let card: number;
    if (target < TALON) {
      card = this.take(target);
    } else {
      card = tops[target - HOME]!;
      this.setTop(target - HOME, undo[record + TOP]!, card, -1);
    }
    if (source < TALON) this.put(source, card);
    else if (source >= HOME) this.setTop(source - HOME, card, card, 1);
  }

  moveAt(nth: number): number {
    return this.undo[UNDO * nth + MOVE]!;
  }

  moves(): number[] {
    return Array.from({ length: this.played }, (_, nth) => this.moveAt(nth));
  }

  /** Compute the digest: piles of one kind are interchangeable. */
  digest(): void {
    this.digest0 = this.digestOf(0);
    this.digest1 = this.digestOf(1);
  }

  private digestOf(lane: 0 | 1): number {
    const { hashes, hidden, tops } = this;
    const { piles, foundations, kindOfPile, group, alike } = this.tables;
    let total = mixed(mixed(mixed(this.leftLow ^ SALTS[lane]) ^ this.leftHigh) ^ this.state);
    for (let pile = 0; pile < piles; pile++) {
      const kind = kindOfPile[pile]!;
      total = (total + digestOfPile(hashes[LANES * pile + lane]!, hidden[pile]!, kind)) | 0;
    }
    for (let f = 0; f < foundations; f++) {
      total = (total + alike[(group[f]! * TOPS + tops[f]! + 1) * LANES + lane]!) | 0;
    }
    return mixed(total);
  }
}
