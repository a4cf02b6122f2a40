/**
 * The moves worth trying in a position: omitting the others loses no win.
 *
 * Some moves bind the next one. A move is postponed until the move it serves; any winning line can
 * be rearranged this way.
 *
 * - A card is returned from a foundation only to put a card on it, or so that another one can be
 *   returned. Postponed, it leaves the place it would cover free, and goes to its pile's later
 *   position. So the next move returns another card, or puts one on the card returned last. While
 *   moves are bound, no card goes home automatically.
 * - A pile whose base does not fit an empty pile is moved to another one only to empty its place;
 *   see `addRuns`.
 * - Part of a run is moved only to send the card below it home; see `addRuns`.
 */

import { PACK_SIZE } from "../../rules/cards.ts";
import { ENDLESS } from "../../rules/ruleset.ts";
import { HALF, countIn, isIn } from "./cardSets.ts";
import {
  BOUND_HOME,
  HOME,
  NONE,
  TALON,
  boundOf,
  encoded,
  fromTalon,
  sourceOf,
  targetOf,
  to,
} from "./encoding.ts";
import { MoveList } from "./moveList.ts";
import { type Position, STRIDE } from "./position.ts";
import { TOPS, type Tables } from "./tables.ts";

export class Offers {
  readonly list = new MoveList();
  private readonly position: Position;
  private readonly tables: Tables;
  /** The number of empty tableau piles, the first one or `NONE`; the number of free cells. */
  private spaces = 0;
  private space = NONE;
  private free = 0;
  /** The cards that would take a movable card of tableau or talon. */
  private wantedLow = 0;
  private wantedHigh = 0;
  /** The movable cards, except those that would only change places. */
  private offeredLow = 0;
  private offeredHigh = 0;

  constructor(position: Position) {
    this.position = position;
    this.tables = position.tables;
  }

  find(): void {
    const { tables, position, list } = this;
    const { columns, cells, piles } = tables;
    list.clear();
    this.wantedLow = this.wantedHigh = this.offeredLow = this.offeredHigh = 0;
    this.count();
    for (let pile = 0; pile < piles; pile++) {
      if (position.size[pile] === 0) continue;
      const card = position.topOf(pile);
      if (pile < columns) {
        if (tables.column.home) this.addHome(encoded(pile, 0, 1), card);
        if (tables.column.spread) this.addRuns(pile);
        if (tables.column.cell) this.addCell(encoded(pile, 0, 1));
        continue;
      }
      const plays = pile < columns + cells ? tables.cell : tables.reserve;
      if (plays.home) this.addHome(encoded(pile, 0, 1), card);
      if (plays.spread) this.addSpread(encoded(pile, 0, 1), card, 600);
      // All cells are equivalent for a card already on one.
      if (plays.cell && pile >= columns + cells) this.addCell(encoded(pile, 0, 1));
    }
    if ((position.leftLow | position.leftHigh) !== 0) this.addTalon();
    if (tables.givesBack) this.addBack();
    this.dropOthers();
  }

  private count(): void {
    const { size, tables } = this.position;
    const { columns, cells } = tables;
    this.spaces = this.free = 0;
    this.space = NONE;
    for (let pile = columns - 1; pile >= 0; pile--) {
      if (size[pile] !== 0) continue;
      this.spaces += 1;
      this.space = pile;
    }
    for (let pile = columns; pile < columns + cells; pile++) {
      if (size[pile] === 0) this.free += 1;
    }
  }

  private want(card: number): void {
    const { parents } = this.tables;
    this.wantedLow |= parents.low[card]!;
    this.wantedHigh |= parents.high[card]!;
  }

  /** Append the moves of a card to foundations, one per distinct top. */
  private addHome(from: number, card: number): void {
    const { position, list } = this;
    const { foundations, group, homes } = this.tables;
    const { tops, nextLow, nextHigh } = position;
    if (!isIn(nextLow, nextHigh, card)) return;
    for (let f = 0; f < foundations; f++) {
      const row = group[f]! * TOPS + tops[f]! + 1;
      if (!isIn(homes.low[row]!, homes.high[row]!, card)) continue;
      let same = false;
      for (let other = 0; other < f; other++) {
        if (group[other] === group[f] && tops[other] === tops[f]) same = true;
      }
      if (!same) list.add(from | to(HOME + f), 900);
    }
  }

  /** Append the moves of one card to tableau piles. */
  private addSpread(from: number, card: number, score: number): void {
    const { list, space } = this;
    const { size } = this.position;
    const { columns, builds } = this.tables;
    this.want(card);
    if (card < HALF) this.offeredLow |= 1 << card;
    else this.offeredHigh |= 1 << (card - HALF);
    for (let pile = 0; pile < columns; pile++) {
      if (size[pile] === 0) {
        if (pile === space && builds[card] === 1) list.add(from | to(pile), score - 200);
      } else if (builds[(this.position.topOf(pile) + 1) * PACK_SIZE + card] === 1) {
        list.add(from | to(pile), score);
      }
    }
  }

  /** Append the move of one card to the first free cell. */
  private addCell(from: number): void {
    const { size } = this.position;
    const { columns, cells } = this.tables;
    for (let pile = columns; pile < columns + cells; pile++) {
      if (size[pile] !== 0) continue;
      this.list.add(from | to(pile), 100);
      return;
    }
  }

  /** Return how many of a tableau pile's cards can move together, given enough places. */
  private mostOf(pile: number, end: number): number {
    const { cards, size, hidden } = this.position;
    const { moves, carries } = this.tables;
    const most = size[pile]! - hidden[pile]!;
    if (moves === "any") return most;
    if (moves === "card") return Math.min(most, 1);
    let run = 1;
    while (run < most && carries[(cards[end - run - 1]! + 1) * PACK_SIZE + cards[end - run]!] === 1)
      run += 1;
    return run;
  }

  /**
   * Append the moves of a tableau pile's cards to other piles.
   *
   * If runs move whole, two kinds of moves are bound or omitted:
   *
   * - Part of a run is moved onto another pile only if the card below it then goes home. Otherwise
   *   that card and the target are equivalent: they take the same cards, so any card for one can go
   *   on the other, until one of them is to go home.
   * - A whole pile is moved onto another one only to put a card there that empty piles take: until
   *   then its cards can be reached and built on in place.
   */
  private addRuns(pile: number): void {
    const { position, tables, space } = this;
    const { cards, size } = position;
    const { columns, buildSets } = tables;
    const end = pile * STRIDE + size[pile]!;
    const most = this.mostOf(pile, end);
    let [low, high] = [0, 0];
    for (let count = 1; count <= most; count++) {
      const card = cards[end - count]!;
      if (card < HALF) low |= 1 << card;
      else high |= 1 << (card - HALF);
      if (!tables.wholeRuns || count === most || this.goesHome(cards[end - count - 1]!)) {
        this.want(card);
      }
    }
    const base = cards[pile * STRIDE]!;
    this.offeredLow |= base < HALF ? low & ~(1 << base) : low;
    this.offeredHigh |= base < HALF ? high : high & ~(1 << (base - HALF));
    for (let target = 0; target < columns; target++) {
      if (target === pile || (size[target] === 0 && target !== space)) continue;
      const row = size[target] === 0 ? 0 : position.topOf(target) + 1;
      if (((buildSets.low[row]! & low) | (buildSets.high[row]! & high)) === 0) continue;
      this.addTo(pile, target, row, most);
    }
  }

  /** Append the moves of a tableau pile's cards to another pile, whose top is given by its row. */
  private addTo(pile: number, target: number, row: number, most: number): void {
    const { tables, list } = this;
    const { cards, size, hidden } = this.position;
    const { moves, builds } = tables;
    const height = size[target]!;
    const end = pile * STRIDE + size[pile]!;
    const limit = Math.min(most, this.limitTo(height));
    for (let count = 1; count <= limit; count++) {
      const left = size[pile]! - count;
      if (moves === "whole-run" && count > 1 && left > 0) continue;
      if (builds[row * PACK_SIZE + cards[end - count]!] === 0) continue;
      let bound = 0;
      let score = 500;
      if (left === 0) {
        if (height === 0) continue;
        if (tables.lazySpaces) bound = pile + 1;
        score = 700;
      } else if (left === hidden[pile]) {
        score = 700 + left;
      } else if (count < most && height > 0 && tables.wholeRuns) {
        if (!this.goesHome(cards[end - count - 1]!)) continue;
        bound = BOUND_HOME + pile;
        score = 600;
      }
      if (height === 0) score -= 300 - count;
      list.add(encoded(pile, target, count, bound), score);
    }
  }

  /** Return how many cards can move together to a tableau pile of `height` cards. */
  private limitTo(height: number): number {
    const [columns, cells] = this.tables.ruleset.carriers;
    const spaces = columns.length === 0 ? 0 : this.spaces;
    const free = cells.length === 0 ? 0 : this.free;
    switch (this.tables.moves) {
      case "run-by-spaces":
        return height > 0 ? 2 ** spaces : 1;
      case "run-by-places":
        return (free + 1) * 2 ** (height > 0 ? spaces : Math.max(spaces - 1, 0));
      default:
        return Infinity;
    }
  }

  private goesHome(card: number): boolean {
    return isIn(this.position.nextLow, this.position.nextHigh, card);
  }

  /**
   * Append the moves of the cards of stock and waste that dealing brings up.
   *
   * Deals turn cards up in groups, and the top of each group can be played. After the last group
   * come those from the first, if the waste can be turned over.
   */
  private addTalon(): void {
    const { position, tables } = this;
    const { leftLow, leftHigh, waste, redeals, stock } = position;
    const { turns, dealsToWaste } = tables;
    const number = countIn(leftLow) + countIn(leftHigh);
    const endless = tables.redeals >= ENDLESS;
    const again = endless || redeals < tables.redeals;
    let nth = 0;
    for (let place = 0; place < stock; place++) {
      if (!isIn(leftLow, leftHigh, place)) continue;
      nth += 1;
      const last = nth === number;
      const now = nth >= waste && ((nth - waste) % turns === 0 || last);
      const later = again && (nth % turns === 0 || last);
      if (!now && !later) continue;
      if (!dealsToWaste) {
        if (nth === 1) this.addDrawn(fromTalon(place, 0, false), position.drawn[place]!);
        return;
      }
      let after = nth - 1;
      // With unlimited redeals, it does not matter how far the waste was dealt.
      if (endless && (after % turns === 0 || after === number - 1)) after = 0;
      this.addDrawn(fromTalon(place, after, !endless && !now), position.drawn[place]!);
    }
  }

  /** Append the moves of a card of stock or waste. */
  private addDrawn(from: number, card: number): void {
    const { tables, list } = this;
    const { waste } = tables;
    if (waste.home && this.goesHome(card)) {
      this.addHome(from, card);
    } else if (tables.dealsAnywhere) {
      for (let f = 0; f < tables.foundations; f++) list.add(from | to(HOME + f), 100);
    }
    if (waste.spread) this.addSpread(from, card, 450);
    if (waste.cell) this.addCell(from);
  }

  /**
   * Append the moves from foundations that uncover a place for a card.
   *
   * Returning one of the wanted cards needs no card of an earlier turn: such a card would need
   * those of its suit over it, and cards on which these fit.
   */
  private addBack(): void {
    const { position, tables, list, space } = this;
    const { size, tops } = position;
    const { columns, foundations, builds, turn } = tables;
    const low = this.wantedLow & position.homeLow;
    const high = this.wantedHigh & position.homeHigh;
    if ((low | high) === 0) return;
    let least = PACK_SIZE;
    for (let card = 0; card < PACK_SIZE; card++) {
      if (isIn(low, high, card)) least = Math.min(least, turn[card]!);
    }
    for (let f = 0; f < foundations; f++) {
      const card = tops[f]!;
      if (card === NONE || turn[card]! < least) continue;
      for (let pile = 0; pile < columns; pile++) {
        if (size[pile] === 0 && pile !== space) continue;
        const row = size[pile] === 0 ? 0 : position.topOf(pile) + 1;
        if (builds[row * PACK_SIZE + card] === 0) continue;
        list.add(encoded(HOME + f, pile, 1, pile + 1), 50);
      }
    }
  }

  /**
   * Drop the moves that the binding forbids. If no card is available for an empty pile, moves that
   * only empty a pile are dropped too.
   */
  private dropOthers(): void {
    const { position, tables } = this;
    const { bound } = position;
    // If cards can be returned from foundations, one of them could fill an empty pile.
    const low = this.offeredLow | (tables.givesBack ? position.homeLow : 0);
    const high = this.offeredHigh | (tables.givesBack ? position.homeHigh : 0);
    const { buildSets } = tables;
    const useless = ((low & buildSets.low[0]!) | (high & buildSets.high[0]!)) === 0;
    const lazy = tables.lazySpaces && useless;
    if (bound === 0 && !lazy) return;
    this.list.keep((move) => {
      const source = sourceOf(move);
      const target = targetOf(move);
      if (lazy && source < TALON && boundOf(move) === source + 1) return false;
      if (bound === 0) return true;
      if (bound >= BOUND_HOME) return source === bound - BOUND_HOME && target >= HOME;
      return target === bound - 1 || source >= HOME;
    });
  }
}
