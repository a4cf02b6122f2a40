/**
 * A ruleset compiled for play: pile numbers, and lookup tables of the cards each pile takes.
 *
 * Everything that depends only on the rules is computed once, which makes listing moves fast.
 */

import {
  type Card,
  PACK_SIZE,
  type Pile,
  RANKS,
  UNSEEN,
  cardOf,
  isRed,
  pack,
  rankOf,
  suitOf,
} from "./cards.ts";
import { coveredBy, rowsOf } from "./peaks.ts";
import type { Foundation, Match, Order, Rules, Tableau } from "./schema.ts";

/** The top card of an empty pile. */
export const EMPTY = UNSEEN + 1;

/** The target of a move that deals a row of cards to the tableau. */
export const ROW = -2;

/** `Ruleset.redeals` for unlimited redeals: more than any game uses. */
export const ENDLESS = 1_000_000;

/** The rank of a card that goes home without a partner, where pairs do. */
const KING = 12;

/** The length of a run that goes to a foundation. */
export const RUN_LENGTH = 13;

/** Whether `card` fits on `top`, which may be `EMPTY`; false if either is face down. */
export type Fits = (top: Card, card: Card) => boolean;

/**
 * A move of `count` cards from the pile `source` to the pile `target`, by pile number. Dealing a
 * row (target `ROW`), dealing to the waste, and turning the waste over have a count of 1.
 */
export interface Move {
  readonly source: number;
  readonly target: number;
  readonly count: number;
}

/**
 * One game's rules in one variant. Piles are numbered: foundations, tableau, stock, waste, reserve,
 * cells. A game without a stock has a permanently empty one.
 */
export class Ruleset {
  readonly game: string;
  readonly variant: string;
  readonly rules: Rules;
  /** Identifies these rules among all releases of the game's rules; empty for rules of a test. */
  readonly digest: string;
  /** The cards in play, in the order of an unshuffled pack. */
  readonly pack: Pile;
  /** The number of cards in play. */
  readonly total: number;
  /** The group of each foundation, by pile number. */
  readonly groups: readonly Foundation[];
  readonly foundations: readonly number[];
  readonly tableau: readonly number[];
  readonly stock: number;
  readonly waste: number | null;
  readonly reserve: readonly number[];
  readonly cells: readonly number[];
  readonly redeals: number;
  readonly pileNames: readonly string[];
  readonly pileNumbers: ReadonlyMap<string, number>;
  /** Whether a tableau pile takes a card on its top card. */
  readonly builds: Fits;
  /** Whether a card moves together with the one below it. */
  readonly carries: Fits;
  /** Which single cards each foundation takes; foundations for runs take none. */
  readonly homes: readonly Fits[];
  /** For each card, the least number of cards on a foundation before it. */
  readonly turns: readonly number[];
  /** Whether a non-empty tableau pile restricts the cards it takes. */
  readonly ordersTableau: boolean;
  readonly moves: Tableau["moves"];
  readonly movesRuns: boolean;
  /** The columns and cells through which single moves can carry a run to another column. */
  readonly carriers: readonly [columns: readonly number[], cells: readonly number[]];
  /** Whether runs leave the tableau automatically. */
  readonly automatic: boolean;
  /** For each pile, the piles of the next row of peaks that cover it. */
  readonly coveredBy: readonly (readonly number[])[];
  /** For each pile, the piles that it covers. */
  readonly covers: readonly (readonly number[])[];
  /** The number of places of each row of overlapping peaks, from the top; null for columns. */
  readonly peaks: readonly number[] | null;
  /** Whether two cards whose ranks total thirteen go home together. */
  readonly pairs: boolean;
  /** Whether emptying the tableau brings all other cards home. */
  readonly clears: boolean;

  constructor(game: string, variant: string, rules: Rules, digest = "") {
    const { tableau } = rules;
    this.game = game;
    this.variant = variant;
    this.rules = rules;
    this.digest = digest;
    this.pack = pack(rules.packs, rules.suits);
    this.total = this.pack.length;
    this.groups = rules.foundations.flatMap((group) => Array<Foundation>(group.piles).fill(group));
    const names = [
      ...this.groups.map((_, at) => `f${at}`),
      ...(tableau?.deal ?? []).map((_, at) => `t${at}`),
      "s",
      ...(rules.waste ? ["w"] : []),
      ...(rules.reserve?.deal ?? []).map((_, at) => `r${at}`),
      ...Array.from({ length: rules.cells?.piles ?? 0 }, (_, at) => `c${at}`),
    ];
    const numbered = (letter: string) =>
      names.flatMap((name, pile) => (name.startsWith(letter) ? [pile] : []));
    this.pileNames = names;
    this.pileNumbers = new Map(names.map((name, pile) => [name, pile]));
    this.foundations = numbered("f");
    this.tableau = numbered("t");
    this.stock = names.indexOf("s");
    this.waste = rules.waste ? names.indexOf("w") : null;
    this.reserve = numbered("r");
    this.cells = numbered("c");
    const redeals = rules.waste?.redeals ?? 0;
    this.redeals = redeals === "any" ? ENDLESS : redeals;
    this.builds = tableauFits(tableau, tableau?.match);
    this.carries =
      tableau?.run_match == null ? this.builds : tableauFits(tableau, tableau.run_match);
    this.homes = rules.foundations.flatMap((group) =>
      Array<Fits>(group.piles).fill(foundationFits(group)),
    );
    this.turns = turnsOf(rules.foundations);
    this.ordersTableau = tableau !== null && tableau.order !== "any";
    this.moves = tableau?.moves ?? "card";
    this.movesRuns = this.moves !== "card";
    const carries = tableau?.empty === "any";
    const stores =
      tableau?.plays.includes("cell") === true && rules.cells?.plays.includes("tableau") === true;
    this.carriers = [carries ? this.tableau : [], stores ? this.cells : []];
    this.automatic = this.groups.some((group) => group.automatic);
    const { peaks = null, deal = [] } = tableau ?? {};
    this.peaks = peaks === null ? null : rowsOf(peaks, deal.length);
    const places = peaks === null ? [] : coveredBy(peaks, deal.length);
    const [first = 0] = this.tableau;
    this.coveredBy = names.map((_, pile) => (places[pile - first] ?? []).map((at) => first + at));
    this.covers = names.map((_, pile) =>
      this.tableau.filter((place) => this.coveredBy[place]?.includes(pile)),
    );
    this.pairs = this.groups.some(({ takes }) => takes === "pair");
    this.clears = tableau?.cleared === "wins";
  }

  /** Whether foundation `target`, if empty, takes a run headed by `card`. */
  headsRun(target: number, card: Card): boolean {
    const group = this.groups[target];
    return group?.takes === "run" && card < PACK_SIZE && startsGroup(card, group);
  }

  /** Return the cards laid out before the deal, by the number of their foundation. */
  laidOut(): ReadonlyMap<number, Card> {
    const cards = new Map<number, Card>();
    this.groups.forEach((group, pile) => {
      if (group.setup !== "laid-out") return;
      const nth = pile - this.groups.indexOf(group);
      cards.set(pile, cardOf(group.first, group.suits.charAt(nth % group.suits.length)));
    });
    return cards;
  }
}

function matches(match: Match, upper: Card, lower: Card): boolean {
  switch (match) {
    case "suit":
      return suitOf(upper) === suitOf(lower);
    case "colour":
      return isRed(upper) === isRed(lower);
    case "alternate":
      return isRed(upper) !== isRed(lower);
    case "any":
      return true;
  }
}

/** The allowed differences in rank between a card and the one below it; `any` allows all. */
const STEPS = { up: [1], down: [-1], either: [1, -1] } as const;

function inOrder(order: Order, wrap: boolean, card: Card, top: Card): boolean {
  if (order === "any") return true;
  const step = rankOf(card) - rankOf(top);
  return STEPS[order].some((wanted) => step === wanted || (wrap && (step - wanted) % 13 === 0));
}

/** Whether `card` has the rank `first`; true for `any` and for `same`, the deal's choice. */
function starts(card: Card, first: string): boolean {
  return first === "any" || first === "same" || RANKS.charAt(rankOf(card)) === first;
}

function startsGroup(card: Card, group: Foundation): boolean {
  return starts(card, group.first) && group.suits.includes(suitOf(card));
}

/** Whether `top` completes a foundation: by its rank, or as the thirteenth with wrapping. */
function completes(top: Card, group: Foundation): boolean {
  if (RANKS.charAt(rankOf(top)) === group.last) return true;
  if (turnless(group) || !group.wrap) return false;
  const next = rankOf(top) + (group.order === "up" ? 1 : -1);
  return (next - RANKS.indexOf(group.first)) % 13 === 0;
}

/** Evaluate a rule for every pair of cards, and return it as a table lookup. */
function tabled(rule: (top: Card, card: Card) => boolean): Fits {
  const width = UNSEEN + 1;
  const table = new Uint8Array(width * (EMPTY + 1));
  for (const top of [...Array(PACK_SIZE).keys(), EMPTY]) {
    for (let card = 0; card < PACK_SIZE; card++) {
      if (rule(top, card)) table[top * width + card] = 1;
    }
  }
  return (top, card) => table[top * width + card] === 1;
}

function tableauFits(tableau: Tableau | null, match: Match = "any"): Fits {
  return tabled((top, card) => {
    if (tableau === null) return false;
    if (top === EMPTY) return starts(card, tableau.empty);
    return inOrder(tableau.order, tableau.wrap, card, top) && matches(match, card, top);
  });
}

function foundationFits(group: Foundation): Fits {
  return tabled((top, card) => {
    if (group.takes === "run" || !group.suits.includes(suitOf(card))) return false;
    if (group.takes === "pair") return rankOf(card) === KING;
    if (top === EMPTY) return startsGroup(card, group);
    if (!group.suits.includes(suitOf(top)) || completes(top, group)) return false;
    return inOrder(group.order, group.wrap, card, top) && matches(group.match, card, top);
  });
}

/** Compute, for each card, the least number of cards on a foundation before it. */
function turnsOf(groups: readonly Foundation[]): readonly number[] {
  return Array.from({ length: PACK_SIZE }, (_, card) => {
    const taking = groups.filter(({ suits }) => suits.includes(suitOf(card)));
    return taking.length > 0 ? Math.min(...taking.map((group) => turnOf(card, group))) : 0;
  });
}

/** Return the least number of cards on a foundation of the group when it takes `card`. */
function turnOf(card: Card, group: Foundation): number {
  const { first, order, takes } = group;
  if (turnless(group)) return 0;
  if (takes === "run") return RANKS.length;
  const steps = (rankOf(card) - RANKS.indexOf(first)) * (order === "up" ? 1 : -1);
  return (steps + RANKS.length) % RANKS.length;
}

/** Whether a foundation of the group has no fixed first rank or no single direction. */
function turnless({ first, order }: Foundation): boolean {
  return first === "any" || first === "same" || order === "either";
}
