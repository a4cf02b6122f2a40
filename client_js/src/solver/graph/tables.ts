/** A ruleset as tables of small integers. */

import { PACK_SIZE, RANKS, rankOf } from "../../rules/cards.ts";
import { EMPTY, type Fits, type Ruleset } from "../../rules/ruleset.ts";
import type { Place } from "../../rules/schema.ts";
import { LANES, randomNumbers } from "../beam/hashes.ts";
import { type CardSets, isIn, setsOf, unionsOf } from "./cardSets.ts";
import { NONE } from "./encoding.ts";
import { isBySuit, turnsHome } from "./suits.ts";

/** The number of possible tops of a pile: none, or a card. They are numbered by `top + 1`. */
export const TOPS = PACK_SIZE + 1;

const SEED = 0x85ebca6b;

/** The destinations of cards of one kind of pile. */
export interface Plays {
  readonly home: boolean;
  readonly spread: boolean;
  readonly cell: boolean;
}

/**
 * Whether the search has tables for these rules.
 *
 * Required: one pack with each card once; foundations for single cards, by suit if cards may leave
 * them again; and a stock dealt to the waste, or from its top to foundations. If clearing the
 * tableau wins, the other cards must be able to go home at any time: a line that wins without this
 * rule then wins with it, and the other way round.
 */
export function fitsTables(ruleset: Ruleset): boolean {
  const { rules, pack, groups } = ruleset;
  const { tableau, stock, waste, reserve, cells } = rules;
  const givesBack = groups.some(({ plays }) => plays.length > 0);
  const sameRank = groups.some(({ first }) => first === "same");
  const hasOthers = waste !== null || reserve !== null || cells !== null;
  const always = stock.plays.length === 0 || stock.to_foundation === "any";
  return (
    tableau !== null &&
    ruleset.peaks === null &&
    (!ruleset.clears || (always && !hasOthers)) &&
    pack.length === new Set(pack).size &&
    groups.every(({ takes }) => takes === "card") &&
    (!givesBack || (isBySuit(ruleset) && !sameRank)) &&
    ["", "waste", "foundation"].includes(stock.plays.join()) &&
    stock.to_foundation !== "first" &&
    tableau.fill.every((place) => place === "reserve")
  );
}

/** A ruleset, and the foundations' first rank if that depends on the deal. */
export class Tables {
  readonly ruleset: Ruleset;
  readonly base: number | null;
  /** The ruleset's number of each pile. */
  readonly numbers: readonly number[];
  readonly columns: number;
  readonly cells: number;
  readonly reserves: number;
  /** The number of tableau piles, cells and reserve piles. */
  readonly piles: number;
  readonly foundations: number;
  readonly total: number;
  readonly moves: Ruleset["moves"];
  readonly column: Plays;
  readonly cell: Plays;
  readonly reserve: Plays;
  readonly waste: Plays;
  /** Whether cards of the stock go to the waste, rather than from its top to foundations. */
  readonly dealsToWaste: boolean;
  /** Whether they go to any foundation, unseen. */
  readonly dealsAnywhere: boolean;
  readonly turns: number;
  readonly redeals: number;
  /** Whether cards can be returned from the foundations. */
  readonly givesBack: boolean;
  /** Whether reserve piles fill an emptied tableau pile. */
  readonly fills: boolean;
  /** Whether each suit has one foundation, in the same order, and all piles play to them. */
  readonly regular: boolean;
  /** Whether runs are moved whole, or in part only for the card below; see `offers`. */
  readonly wholeRuns: boolean;
  /** Whether a pile is emptied only to put another card there; see `offers`. */
  readonly lazySpaces: boolean;

  /** Whether a card fits a tableau pile: `[(top + 1) * PACK_SIZE + card]`; and the same as sets. */
  readonly builds: Uint8Array;
  readonly buildSets: CardSets;
  /** The same for cards that move together. */
  readonly carries: Uint8Array;
  /** The group of each foundation; foundations with equal rules share one. */
  readonly group: Uint8Array;
  /** The cards that a foundation takes: row `group * TOPS + top + 1`. */
  readonly homes: CardSets;
  /** For each card: those that fit on it, those on them, the cards that may lie over it, its targets. */
  readonly kids: CardSets;
  readonly grandkids: CardSets;
  readonly over: CardSets;
  readonly parents: CardSets;
  /** For each card, how many of its suit go home before it. */
  readonly turn: Uint8Array;
  /** For each card, the preceding one of its suit on the foundation, or `NONE`. */
  readonly before: Int8Array;

  /** For each pile, its class of interchangeable piles. */
  readonly kindOfPile: Uint8Array;
  /** Random numbers of cards at places: `[(place * PACK_SIZE + card) * LANES + lane]`. */
  readonly random: Int32Array;
  /** A hash of the cards a foundation takes: `[(group * TOPS + top + 1) * LANES + lane]`. */
  readonly alike: Int32Array;

  constructor(ruleset: Ruleset, base: number | null) {
    const { rules } = ruleset;
    const { tableau, stock, cells, reserve, waste } = rules;
    if (tableau === null) throw new RangeError("The search needs a tableau.");
    this.ruleset = ruleset;
    this.base = base;
    this.numbers = [...ruleset.tableau, ...ruleset.cells, ...ruleset.reserve];
    this.columns = ruleset.tableau.length;
    this.cells = ruleset.cells.length;
    this.reserves = ruleset.reserve.length;
    this.piles = this.numbers.length;
    this.foundations = ruleset.foundations.length;
    this.total = ruleset.total;
    this.moves = tableau.moves;
    const stockHome = stock.plays.includes("foundation");
    this.column = playsOf(tableau.plays);
    this.cell = playsOf(cells?.plays ?? []);
    this.reserve = playsOf(reserve?.plays ?? []);
    this.waste = playsOf(stockHome ? ["foundation"] : (waste?.plays ?? []));
    this.dealsToWaste = stock.plays.includes("waste");
    this.dealsAnywhere = stockHome && stock.to_foundation === "any";
    this.turns = stock.turns;
    this.redeals = ruleset.redeals;
    this.givesBack = ruleset.groups.some(({ plays }) => plays.length > 0);
    this.fills = tableau.fill.length > 0 && this.reserves > 0;
    this.lazySpaces =
      tableau.empty !== "any" &&
      (tableau.moves === "run" || tableau.moves === "any") &&
      cells === null;
    this.regular =
      isBySuit(ruleset) &&
      (this.column.home || this.columns === 0) &&
      (this.cell.home || this.cells === 0) &&
      (this.reserve.home || this.reserves === 0);

    const texts = ruleset.groups.map((group) => JSON.stringify(group));
    const different = [...new Set(texts)];
    this.group = Uint8Array.from(texts, (text) => different.indexOf(text));
    this.buildSets = fitSets(ruleset.builds);
    this.builds = bytesOf(this.buildSets);
    this.carries = bytesOf(fitSets(ruleset.carries));
    this.wholeRuns =
      tableau.moves === "run" &&
      (tableau.order === "up" || tableau.order === "down") &&
      this.carries.every((carries, at) => carries === this.builds[at]) &&
      cells === null;
    this.homes = this.homesOf(different.map((text) => texts.indexOf(text)));
    this.kids = setsOf(PACK_SIZE, (card, kid) => ruleset.builds(card, kid));
    this.grandkids = unionsOf(this.kids, this.kids);
    this.parents = setsOf(PACK_SIZE, (card, parent) => ruleset.builds(parent, card));
    this.over = closuresOf(this.kids);
    this.turn = Uint8Array.from(turnsHome(ruleset, base));
    this.before = Int8Array.from(this.turn, (turn, card) => this.withTurn(card, turn - 1));
    this.kindOfPile = Uint8Array.from(this.numbers, (_, pile) => {
      if (pile < this.columns) return 0;
      return Math.max(1, pile - this.columns - this.cells + 2);
    });
    this.random = randomNumbers(TOPS * PACK_SIZE * LANES, SEED);
    this.alike = this.alikeOf();
  }

  private homesOf(groups: readonly number[]): CardSets {
    const { homes, groups: all } = this.ruleset;
    return setsOf(groups.length * TOPS, (row, card) => {
      const foundation = groups[Math.floor(row / TOPS)]!;
      const top = row % TOPS;
      if (!homes[foundation]!(top === 0 ? EMPTY : top - 1, card)) return false;
      return top > 0 || all[foundation]!.first !== "same" || rankOf(card) === this.base;
    });
  }

  /** Return the card of a suit with a given turn, or `NONE`. */
  private withTurn(card: number, turn: number): number {
    const first = card - rankOf(card);
    const at = this.turn.subarray(first, first + RANKS.length).indexOf(turn);
    return at < 0 ? NONE : first + at;
  }

  /** Hash the tops so that those taking the same cards share a random number. */
  private alikeOf(): Int32Array {
    const { low, high } = this.homes;
    const random = randomNumbers(low.length * LANES, SEED + 1);
    const found = new Map<string, number>();
    return Int32Array.from({ length: low.length * LANES }, (_, at) => {
      const row = Math.floor(at / LANES);
      const key = [Math.floor(row / TOPS), low[row], high[row], at % LANES].join();
      const number = found.get(key) ?? random[at]!;
      found.set(key, number);
      return number;
    });
  }
}

function playsOf(places: readonly Place[]): Plays {
  return {
    home: places.includes("foundation"),
    spread: places.includes("tableau"),
    cell: places.includes("cell"),
  };
}

function fitSets(fits: Fits): CardSets {
  return setsOf(TOPS, (row, card) => fits(row === 0 ? EMPTY : row - 1, card));
}

function bytesOf({ low, high }: CardSets): Uint8Array {
  return Uint8Array.from({ length: low.length * PACK_SIZE }, (_, at) => {
    const row = Math.floor(at / PACK_SIZE);
    return Number(isIn(low[row]!, high[row]!, at % PACK_SIZE));
  });
}

/** Return, for each card, all cards that could lie over it, in any number of steps. */
function closuresOf(kids: CardSets): CardSets {
  let over = kids;
  for (let steps = 1; steps < PACK_SIZE; steps *= 2) {
    const further = unionsOf(over, over);
    over = {
      low: over.low.map((half, row) => half | further.low[row]!),
      high: over.high.map((half, row) => half | further.high[row]!),
    };
  }
  return over;
}
