/**
 * A ruleset and a board in the tables of the search.
 *
 * Cards are numbered by place: first those of the peaks, from the top row on, then those of waste
 * and stock, if they can pair, in the order of dealing.
 */

import { type Board, pileAt } from "../../rules/board.ts";
import { type Card, PACK_SIZE, turnedUp } from "../../rules/cards.ts";
import { arePair, topOf } from "../../rules/moves.ts";
import { EMPTY, ENDLESS, type Move, type Ruleset } from "../../rules/ruleset.ts";
import { type CardSets, isIn, setsOf } from "../graph/cardSets.ts";

/** A position has five bits for them. */
const MAX_REDEALS = 31;

/** The kinds of cards have numbers below this one, the last of which is no card. */
export const KINDS = PACK_SIZE + 1;

/** A move is a card, or two of them as `card + (partner << 6)`, or one of these. */
export const NO_PARTNER = 63;
export const DEAL = 1 << 12;
export const REDEAL = 1 << 13;

/**
 * Whether the search has tables for these rules.
 *
 * They need peaks and one foundation, and no reserve or cells. Either single cards go home, and the
 * stock is dealt there; or pairs of one pack do, and the stock is dealt to the waste.
 */
export function fitsTables({ rules, peaks, pairs, groups, redeals }: Ruleset): boolean {
  const { packs, stock, waste, reserve, cells } = rules;
  if (peaks === null || groups.length > 1 || reserve !== null || cells !== null) return false;
  if (pairs) {
    const isBounded = redeals <= MAX_REDEALS || redeals === ENDLESS;
    return packs === 1 && waste?.plays.join() === "foundation" && isBounded;
  }
  const isDealtHome = stock.plays.join() === "foundation" && stock.to_foundation === "any";
  return groups[0]?.takes === "card" && (isDealtHome || stock.plays.length === 0);
}

export class Tables {
  readonly ruleset: Ruleset;
  /** The piles with cards of the peaks, by place. */
  private readonly piles: readonly number[];
  /** The number of cards in these, and of all cards with numbers. */
  readonly places: number;
  readonly cards: number;
  readonly pairs: boolean;
  readonly turns: number;
  readonly endless: boolean;
  /**
   * The start: without pairs, the kind on the foundation, and the number of cards in the stock; with
   * pairs, the number of dealt cards, and the redeals left.
   */
  readonly first: number;
  readonly second: number;
  /** For each place, the cards that cover it. */
  readonly across: CardSets;
  /** For each card, those that may pair with it. */
  readonly partners: CardSets;
  /** The cards of the peaks, those that must go home, and those that go home alone, in pairs. */
  readonly sets: CardSets;
  /** For each card of the peaks, its kind: cards of a kind take and follow the same cards. */
  readonly kinds: Uint8Array;
  /** Without pairs: the kind of the card dealt with so many in the stock. */
  readonly dealt: Uint8Array;
  /** Whether a kind goes on another: `[other * KINDS + kind]`. */
  readonly takes: Uint8Array;

  constructor(board: Board) {
    const { ruleset } = board;
    const { stock, waste, clears, coveredBy } = ruleset;
    this.ruleset = ruleset;
    this.piles = ruleset.tableau.filter((pile) => pileAt(board, pile).length > 0);
    const peaks = this.piles.map((pile) => topOf(turnedUp(pileAt(board, pile))));
    this.places = peaks.length;
    this.pairs = ruleset.pairs;
    this.turns = ruleset.rules.stock.turns;
    this.endless = ruleset.redeals === ENDLESS;
    const left = turnedUp(pileAt(board, stock));
    const dealt = waste === null ? [] : pileAt(board, waste);
    const cards = this.pairs ? [...peaks, ...dealt, ...left.toReversed()] : peaks;
    this.cards = cards.length;
    this.across = setsOf(this.places, (place, other) => {
      const over = this.piles[other];
      return over !== undefined && coveredBy[this.piles[place]!]!.includes(over);
    });
    this.partners = this.pairs ? this.partnersOf(cards) : setsOf(0, () => false);
    const goal = clears || !this.pairs ? this.places : this.cards;
    const home = ruleset.homes[0]!;
    this.sets = setsOf(3, (set, card) => {
      if (set < 2) return card < (set === 0 ? this.places : goal);
      return this.pairs && card < this.cards && home(EMPTY, cards[card]!);
    });
    const { kindOf, takes } = kindsOf(ruleset);
    this.takes = takes;
    this.kinds = Uint8Array.from(peaks, (card) => kindOf[card]!);
    this.dealt = Uint8Array.from([0, ...(this.pairs ? [] : left)], (card) => kindOf[card]!);
    if (this.pairs) {
      this.first = dealt.length;
      this.second = this.endless ? 0 : ruleset.redeals - board.redeals;
    } else {
      const top = topOf(pileAt(board, 0));
      this.first = top === EMPTY ? PACK_SIZE : kindOf[top]!;
      this.second = left.length;
    }
  }

  private partnersOf(cards: readonly Card[]): CardSets {
    const { places, across } = this;
    // For each place, the places that must be empty before it is free.
    const above: Set<number>[] = [];
    for (let place = places - 1; place >= 0; place--) {
      const over = [...Array(places).keys()].filter((other) => isMember(across, place, other));
      above[place] = new Set(over.flatMap((other) => [other, ...above[other]!]));
    }
    return setsOf(cards.length, (one, other) => {
      // Two cards of the stock never are available at once, and neither are two of which one must go
      // home before the other.
      if (other >= cards.length || Math.min(one, other) >= places) return false;
      if (above[one]?.has(other) || above[other]?.has(one)) return false;
      return arePair(cards[one]!, cards[other]);
    });
  }

  /** Return a move of the search as one of the rules. */
  move(number: number): Move {
    const { foundations, stock, waste } = this.ruleset;
    const home = foundations[0]!;
    const move = (source: number, target: number) => ({ source, target, count: 1 });
    if (number === DEAL) return move(stock, waste ?? home);
    if (number === REDEAL) return move(waste!, stock);
    const partner = number >> 6;
    const isPair = this.pairs && partner !== NO_PARTNER;
    return move(this.pileOf(number & 63), isPair ? this.pileOf(partner) : home);
  }

  private pileOf(card: number): number {
    return this.piles[card] ?? this.ruleset.waste!;
  }
}

function isMember({ low, high }: CardSets, row: number, card: number): boolean {
  return isIn(low[row]!, high[row]!, card);
}

interface Kinds {
  readonly kindOf: readonly number[];
  readonly takes: Uint8Array;
}

/** The kinds of rulesets: advice searches many boards of one. */
const KNOWN_KINDS = new WeakMap<Ruleset, Kinds>();

/** Return the kind of each card, and which kinds go on which; no card is the last kind. */
function kindsOf(ruleset: Ruleset): Kinds {
  const before = KNOWN_KINDS.get(ruleset);
  if (before !== undefined) return before;
  const fits = ruleset.homes[0]!;
  const all = [...Array(PACK_SIZE).keys()];
  const traits = all.map((card) => {
    const on = all.map((other) => Number(fits(card, other)));
    const under = all.map((other) => Number(fits(other, card)));
    return [...on, ...under].join("");
  });
  const known = [...new Set(traits)];
  const kindOf = traits.map((trait) => known.indexOf(trait));
  const takes = new Uint8Array(KINDS * KINDS);
  for (const card of all) {
    for (const other of all) {
      if (fits(other, card)) takes[kindOf[other]! * KINDS + kindOf[card]!] = 1;
    }
    if (fits(EMPTY, card)) takes[PACK_SIZE * KINDS + kindOf[card]!] = 1;
  }
  const kinds = { kindOf, takes };
  KNOWN_KINDS.set(ruleset, kinds);
  return kinds;
}
