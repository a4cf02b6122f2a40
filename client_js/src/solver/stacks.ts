/**
 * A game of piles that give to foundations only, reduced to the essentials for solving it.
 *
 * This is the twin of `engine/solver/stacks.py`. The player's only choice is the pile for each card
 * of the stock: cards go home as soon as they can.
 */

import { type Board, pileAt } from "../rules/board.ts";
import { type Card, PACK_SIZE, type Pile, turnedUp } from "../rules/cards.ts";
import { EMPTY, type Fits, type Ruleset } from "../rules/ruleset.ts";

/** The pile for each card of the stock, counted from 0. An omitted card goes to the first. */
export type Places = ReadonlyMap<Card, number>;

export interface Stacks {
  /** The cards that each foundation takes from here on, in order. */
  readonly chains: readonly Pile[];
  /** The piles, each from bottom to top. */
  readonly piles: readonly Pile[];
  /** The cards of the stock, the next one first. */
  readonly stock: Pile;
}

export function cardsLeft({ piles, stock }: Stacks): number {
  return piles.reduce((sum, pile) => sum + pile.length, stock.length);
}

/** Return each chain's cards, from an empty foundation on; null if a next card is not fixed. */
export function chainsOf({ rules, homes }: Ruleset): readonly Pile[] | null {
  const chains: Pile[] = [];
  let first = 0;
  for (const group of rules.foundations) {
    const fits = homes[first]!;
    first += group.piles;
    const starts = taken(fits, EMPTY);
    if (starts.length > group.piles) return null;
    for (const start of starts) {
      const chain = chainFrom(fits, start);
      if (chain === null) return null;
      chains.push(chain);
    }
  }
  const cards = chains.flat();
  return new Set(cards).size === cards.length ? chains : null;
}

function chainFrom(fits: Fits, start: Card): Pile | null {
  const chain = [start];
  for (;;) {
    const [next, ...others] = taken(fits, chain.at(-1)!);
    if (next === undefined) return chain;
    if (others.length > 0 || chain.includes(next)) return null;
    chain.push(next);
  }
}

/** Return the cards that a foundation takes on a card, or when it is empty. */
function taken(fits: Fits, top: Card): Card[] {
  return Array.from({ length: PACK_SIZE }, (_, card) => card).filter((card) => fits(top, card));
}

/** Return the position of a board whose ruleset has chains; these end before a card not in play. */
export function stacksOf(board: Board): Stacks {
  const { ruleset } = board;
  const home = new Set(ruleset.foundations.flatMap((pile) => pileAt(board, pile)));
  const piles = ruleset.tableau.map((pile) => turnedUp(pileAt(board, pile)));
  const stock = turnedUp(pileAt(board, ruleset.stock)).toReversed();
  const there = new Set([...piles.flat(), ...stock]);
  const chains = (chainsOf(ruleset) ?? []).map((chain) => {
    const ahead = chain.filter((card) => !home.has(card));
    const end = ahead.findIndex((card) => !there.has(card));
    return end < 0 ? ahead : ahead.slice(0, end);
  });
  return { chains, piles, stock };
}

export class Table {
  /** The piles, each from bottom to top. */
  readonly piles: Card[][];
  /** The cards that the foundations take next. */
  readonly wanted: Set<Card>;
  private readonly after: ReadonlyMap<Card, Card>;

  constructor({ chains, piles }: Stacks) {
    this.piles = piles.map((pile) => [...pile]);
    this.wanted = new Set(chains.flatMap((chain) => chain.slice(0, 1)));
    this.after = new Map(
      chains.flatMap((chain) => chain.slice(1).map((card, at) => [chain[at]!, card] as const)),
    );
  }

  place(card: Card, pile: number): void {
    this.piles[pile]!.push(card);
  }

  take(card: Card): void {
    this.wanted.delete(card);
    const after = this.after.get(card);
    if (after !== undefined) this.wanted.add(after);
  }

  /**
   * Send home every card that can go: from the piles from left to right, repeatedly, each as deep
   * as possible. Return each card's pile and the card.
   */
  settle(): [pile: number, card: Card][] {
    const sent: [number, Card][] = [];
    for (let before = -1; before < sent.length;) {
      before = sent.length;
      this.piles.forEach((pile, number) => {
        for (let card = pile.at(-1); card !== undefined && this.wanted.has(card);) {
          pile.pop();
          this.take(card);
          sent.push([number, card]);
          card = pile.at(-1);
        }
      });
    }
    return sent;
  }
}

/** Return the position after all possible moves home from piles. */
export function settled(stacks: Stacks): Stacks {
  const table = new Table(stacks);
  const home = new Set(table.settle().map(([, card]) => card));
  const chains = stacks.chains.map((chain) => chain.filter((card) => !home.has(card)));
  return { chains, piles: table.piles, stock: stacks.stock };
}

/** Return how many cards go home if the stock's cards are put on these piles. */
export function broughtHome(stacks: Stacks, places: Places): number {
  const table = new Table(stacks);
  let home = table.settle().length;
  for (const card of stacks.stock) {
    table.place(card, places.get(card) ?? 0);
    home += table.settle().length;
  }
  return home;
}

/** Return, for each card that may go home, its chain's number and its place in the chain. */
export function inChains({ chains }: Stacks): ReadonlyMap<Card, readonly [number, number]> {
  return new Map(
    chains.flatMap((chain, number) => chain.map((card, at) => [card, [number, at]] as const)),
  );
}

/** Return the stock's cards that go home as they are dealt, wherever others lie. */
export function straightHome({ chains, stock }: Stacks): ReadonlySet<Card> {
  const found = new Set<Card>();
  for (const chain of chains) {
    let last = -1;
    for (const card of chain) {
      const turn = stock.indexOf(card);
      if (turn <= last) break;
      found.add(card);
      last = turn;
    }
  }
  return found;
}
