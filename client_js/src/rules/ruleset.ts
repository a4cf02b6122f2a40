/**
 * A ruleset made ready for play: piles by number, and tables of what goes on what.
 *
 * Everything that depends on the rules alone is worked out here, once, so that listing moves is
 * looking things up.
 */

import { type Card, PACK_SIZE, RANKS, SUITS, UNSEEN, isRed, rankOf, suitOf } from "./cards.ts";
import type { Foundation, Match, Order, Rules } from "./schema.ts";

/** Stands for the top card of a pile that has none. */
export const EMPTY = UNSEEN + 1;

/** The target of a move that deals a row of cards to the tableau. */
export const ROW = -2;

export const RUN_LENGTH = 13;

/** Whether `card` may go on `top`, which may be `EMPTY`. Nothing is known of unseen cards: false. */
export type Fits = (top: Card, card: Card) => boolean;

/** A move: `count` cards from one pile to another, by number. Two that deal many have a count of 1. */
export interface Move {
  readonly source: number;
  readonly target: number;
  readonly count: number;
}

/** One game's rules in one variant. Piles are numbered: foundations, tableau, stock, waste. */
export class Ruleset {
  readonly game: string;
  readonly variant: string;
  readonly rules: Rules;
  /** Identifies these rules among all that the game has ever had; empty for rules of a test. */
  readonly digest: string;
  /** The number of cards in play. */
  readonly total: number;
  /** The group of each foundation, by pile number. */
  readonly groups: readonly Foundation[];
  readonly foundations: readonly number[];
  readonly tableau: readonly number[];
  readonly stock: number;
  readonly waste: number | null;
  readonly pileNames: readonly string[];
  readonly pileNumbers: ReadonlyMap<string, number>;
  /** What a tableau pile takes. */
  readonly builds: Fits;
  /** What each foundation takes; a foundation of runs takes no single card. */
  readonly homes: readonly Fits[];
  readonly movesRuns: boolean;
  readonly bySpaces: boolean;

  constructor(game: string, variant: string, rules: Rules, digest = "") {
    const { tableau } = rules;
    this.game = game;
    this.variant = variant;
    this.rules = rules;
    this.digest = digest;
    this.total = rules.packs * PACK_SIZE;
    this.groups = rules.foundations.flatMap((group) => Array<Foundation>(group.piles).fill(group));
    const names = [
      ...this.groups.map((_, at) => `f${at}`),
      ...(tableau?.deal ?? []).map((_, at) => `t${at}`),
      "s",
      ...(rules.waste ? ["w"] : []),
    ];
    const numbered = (letter: string) =>
      names.flatMap((name, pile) => (name.startsWith(letter) ? [pile] : []));
    this.pileNames = names;
    this.pileNumbers = new Map(names.map((name, pile) => [name, pile]));
    this.foundations = numbered("f");
    this.tableau = numbered("t");
    this.stock = names.indexOf("s");
    this.waste = rules.waste ? names.indexOf("w") : null;
    this.builds = tableauFits(rules);
    this.homes = rules.foundations.flatMap((group) =>
      Array<Fits>(group.piles).fill(foundationFits(group)),
    );
    this.movesRuns = tableau !== null && tableau.moves !== "card";
    this.bySpaces = tableau?.moves === "run-by-spaces";
  }

  /** Whether foundation `target`, when empty, takes a whole run that `card` heads. */
  headsRun(target: number, card: Card): boolean {
    const group = this.groups[target];
    return group?.takes === "run" && card < PACK_SIZE && startsGroup(card, group);
  }

  /** The card of each foundation that is laid out before the deal, by pile number. */
  laidOut(): ReadonlyMap<number, Card> {
    const cards = new Map<number, Card>();
    this.groups.forEach((group, pile) => {
      if (group.setup !== "laid-out") return;
      const nth = pile - this.groups.indexOf(group);
      const suit = SUITS.indexOf(group.suits.charAt(nth % group.suits.length));
      cards.set(pile, suit * 13 + RANKS.indexOf(group.first));
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

/** The difference of ranks between a card and the one that it goes on; `any` has no fixed ones. */
const STEPS = { up: [1], down: [-1], either: [1, -1] } as const;

function inOrder(order: Order, wrap: boolean, card: Card, top: Card): boolean {
  if (order === "any") return true;
  const step = rankOf(card) - rankOf(top);
  return STEPS[order].some((wanted) => step === wanted || (wrap && (step - wanted) % 13 === 0));
}

/** Whether `card` may start a pile that begins with `first`. */
function starts(card: Card, first: string): boolean {
  return first === "any" || RANKS.charAt(rankOf(card)) === first;
}

function startsGroup(card: Card, group: Foundation): boolean {
  return starts(card, group.first) && group.suits.includes(suitOf(card));
}

/** Whether `top` is the last card of a foundation that goes once around from a fixed rank. */
function completes(top: Card, group: Foundation): boolean {
  if (group.first === "any" || !group.wrap || group.order === "either") return false;
  const next = rankOf(top) + (group.order === "up" ? 1 : -1);
  return (next - RANKS.indexOf(group.first)) % 13 === 0;
}

/** Work a rule out for every pair of cards, and keep the answers. */
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

function tableauFits({ tableau }: Rules): Fits {
  return tabled((top, card) => {
    if (tableau === null) return false;
    if (top === EMPTY) return starts(card, tableau.empty);
    return inOrder(tableau.order, tableau.wrap, card, top) && matches(tableau.match, card, top);
  });
}

function foundationFits(group: Foundation): Fits {
  return tabled((top, card) => {
    if (group.takes === "run" || !group.suits.includes(suitOf(card))) return false;
    if (top === EMPTY) return startsGroup(card, group);
    if (!group.suits.includes(suitOf(top)) || completes(top, group)) return false;
    return inOrder(group.order, group.wrap, card, top) && matches(group.match, card, top);
  });
}
