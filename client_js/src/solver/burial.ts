/**
 * The clauses for how many cards can come home from piles that give to foundations only.
 *
 * This is the twin of `engine/solver/burial.py`, which describes the variables; clauses and
 * variables come in the same order.
 */

import type { Card, Pile } from "../rules/cards.ts";
import { type Places, type Stacks, inChains, straightHome } from "./stacks.ts";

/** A variable that is true: it replaces known facts in formulas. */
const TRUE = 1;
const FALSE = -TRUE;

export interface Encoding {
  /** The number of variables, numbered from 1. */
  readonly variables: number;
  readonly clauses: readonly (readonly number[])[];
  /** The literals for more than n cards coming home, by n. */
  readonly atLeast: readonly number[];
  /** For each card of the stock that may have to wait, the variables of the piles. */
  readonly on: ReadonlyMap<Card, readonly number[]>;
}

/** Return the piles of the stock's cards in a model. */
export function placesIn({ on }: Encoding, model: Uint8Array): Places {
  return new Map(
    [...on].map(([card, piles]) => [card, piles.findIndex((variable) => model[variable] === 1)]),
  );
}

/** Return the clauses of a position with a non-empty stock and no immediate move home. */
export function encode(stacks: Stacks): Encoding {
  return new Encoder(stacks).encode();
}

/** Builds the clauses. A time t is the number of a card of the stock when it was dealt. */
class Encoder {
  private variables = TRUE;
  private readonly clauses: number[][] = [[TRUE]];
  private readonly stacks: Stacks;
  private readonly times: number;
  private readonly place: ReadonlyMap<Card, readonly [number, number]>;
  private readonly dealt: ReadonlyMap<Card, number>;
  private readonly liesOn: ReadonlyMap<Card, number>;
  private readonly straight: ReadonlySet<Card>;
  /** The cards that may have to wait on a pile, each pile from the bottom up. */
  private readonly waiting: Pile;
  private readonly home = new Map<Card, number[]>();
  private readonly on = new Map<Card, number[]>();
  private readonly befores = new Map<number, number>();

  constructor(stacks: Stacks) {
    this.stacks = stacks;
    this.times = stacks.stock.length;
    this.place = inChains(stacks);
    this.dealt = new Map(stacks.stock.map((card, time) => [card, time]));
    this.liesOn = new Map(
      stacks.piles.flatMap((pile, number) => pile.map((card) => [card, number] as const)),
    );
    this.straight = straightHome(stacks);
    this.waiting = [...stacks.piles.flat(), ...stacks.stock].filter(
      (card) => !this.straight.has(card),
    );
  }

  encode(): Encoding {
    const { waiting, dealt } = this;
    for (const chain of this.stacks.chains) this.goHome(chain);
    for (const card of waiting) {
      if (!this.place.has(card)) this.home.set(card, Array<number>(this.times).fill(FALSE));
    }
    this.choosePiles();
    this.order();
    for (const [x, y] of pairs(waiting)) {
      if (dealt.has(y)) this.mayBury(y, x);
      else if (this.liesOn.get(x) === this.liesOn.get(y)) this.bury(TRUE, y, x, 0);
    }
    let counts = this.stacks.chains.map((chain) => chain.map((card) => this.homeInTheEnd(card)));
    while (counts.length > 1) {
      const sums: number[][] = [];
      for (let at = 0; at < counts.length; at += 2) {
        const [one = [], two] = counts.slice(at, at + 2);
        sums.push(two === undefined ? one : this.sum(one, two));
      }
      counts = sums;
    }
    const on = new Map([...this.on].filter(([card]) => dealt.has(card)));
    return { variables: this.variables, clauses: this.clauses, atLeast: counts[0] ?? [], on };
  }

  private fresh(): number {
    this.variables += 1;
    return this.variables;
  }

  /** Add a clause, simplified by the known facts. */
  private add(...literals: number[]): void {
    if (literals.includes(TRUE)) return;
    this.clauses.push(literals.filter((literal) => literal !== FALSE));
  }

  private homeAt(card: Card, time: number): number {
    return this.home.get(card)![time]!;
  }

  private homeInTheEnd(card: Card): number {
    return this.homeAt(card, this.times - 1);
  }

  /** Require the cards of a chain to go home in their order, and to stay there. */
  private goHome(chain: Pile): void {
    let earliest = 0;
    let previous = Array<number>(this.times).fill(TRUE);
    for (const card of chain) {
      earliest = Math.max(earliest, this.dealt.get(card) ?? 0);
      const home = Array<number>(this.times).fill(FALSE);
      for (let time = earliest; time < this.times; time++) {
        home[time] = this.straight.has(card) ? TRUE : this.fresh();
        this.add(-home[time]!, previous[time]!);
      }
      for (let time = 1; time < this.times; time++) this.add(-home[time - 1]!, home[time]!);
      this.home.set(card, home);
      previous = home;
    }
  }

  /** Put each card that may have to wait on one pile; empty ones are used from left to right. */
  private choosePiles(): void {
    const { piles } = this.stacks;
    const empty = [...piles.keys()].filter((pile) => piles[pile]!.length === 0);
    const used = empty.map(() => FALSE);
    for (const card of this.waiting) {
      const lies = this.liesOn.get(card);
      if (lies !== undefined) {
        this.on.set(
          card,
          piles.map((_, pile) => (pile === lies ? TRUE : FALSE)),
        );
        continue;
      }
      const on = piles.map(() => this.fresh());
      this.on.set(card, on);
      this.add(...on);
      for (const [one, two] of pairs(on)) this.add(-one, -two);
      for (let nth = 0; nth + 1 < empty.length; nth++) {
        this.add(-on[empty[nth + 1]!]!, used[nth]!);
        const now = this.fresh();
        this.add(-now, on[empty[nth]!]!, used[nth]!);
        used[nth] = now;
      }
    }
  }

  /** Return the literal `before(x, y)` of two cards in chains. */
  private before(x: Card, y: Card): number {
    const [one, at] = this.place.get(x)!;
    const [two, other] = this.place.get(y)!;
    if (one === two) return at < other ? TRUE : FALSE;
    return one > two ? -this.befores.get(key(y, x))! : this.befores.get(key(x, y))!;
  }

  /** Require `before` to be a total order that extends the order of each chain. */
  private order(): void {
    const chains = this.stacks.chains.map((chain) =>
      chain.filter((card) => !this.straight.has(card)),
    );
    for (const [one, two] of pairs(chains)) this.orderTwo(one, two);
    chains.forEach((one, first) => {
      for (const [two, three] of pairs(chains.slice(first + 1))) this.orderThree(one, two, three);
    });
  }

  private orderTwo(one: Pile, two: Pile): void {
    for (const x of one) {
      for (const y of two) this.befores.set(key(x, y), this.fresh());
    }
    for (const y of two) {
      for (let at = 1; at < one.length; at++) {
        this.add(-this.before(one[at]!, y), this.before(one[at - 1]!, y));
      }
    }
    for (const x of one) {
      for (let at = 1; at < two.length; at++) {
        this.add(-this.before(x, two[at - 1]!), this.before(x, two[at]!));
      }
    }
  }

  private orderThree(one: Pile, two: Pile, three: Pile): void {
    for (const x of one) {
      for (const y of two) {
        const xy = this.before(x, y);
        for (const z of three) {
          const yz = this.before(y, z);
          const xz = this.before(x, z);
          this.add(-xy, -yz, xz);
          this.add(xy, yz, -xz);
        }
      }
    }
  }

  /** Add the consequences of putting y, from the stock, on the pile of x, which came before it. */
  private mayBury(y: Card, x: Card): void {
    const time = this.dealt.get(y)!;
    const gone = time > 0 ? this.homeAt(x, time - 1) : FALSE;
    if (this.frees(y, x)) return;
    const over = this.fresh();
    const on = this.on.get(y)!;
    this.on.get(x)!.forEach((one, pile) => this.add(-one, -on[pile]!, gone, over));
    this.bury(over, y, x, time);
  }

  /** Add the consequences of `over(y, x)`, a literal, from some time on: x waits for y. */
  private bury(over: number, y: Card, x: Card, time: number): void {
    if (this.frees(y, x)) return;
    if (!this.place.has(y)) {
      this.add(-over, -this.homeInTheEnd(x));
      return;
    }
    this.add(-over, -this.homeInTheEnd(x), this.before(y, x));
    if (this.place.get(x)![0] === this.place.get(y)![0]) return;
    for (let at = time; at < this.times; at++) {
      this.add(-over, -this.homeAt(x, at), this.homeAt(y, at));
    }
  }

  /** Whether y on x delays nothing, because x waits for y anyway, or can never go home. */
  private frees(y: Card, x: Card): boolean {
    const one = this.place.get(x);
    if (one === undefined) return true;
    const two = this.place.get(y);
    return two !== undefined && one[0] === two[0] && two[1] < one[1];
  }

  /** Return literals: number n implies n of the given ones; all lists are ordered. */
  private sum(one: readonly number[], two: readonly number[]): number[] {
    const total = Array.from({ length: one.length + two.length }, () => this.fresh());
    for (let i = 0; i <= one.length; i++) {
      for (let j = 0; j <= two.length && i + j < total.length; j++) {
        this.add(-total[i + j]!, one[i] ?? FALSE, two[j] ?? FALSE);
      }
    }
    return total;
  }
}

function key(x: Card, y: Card): number {
  return (x << 6) | y;
}

/** Yield all pairs of distinct elements, in order. */
function* pairs<T>(all: readonly T[]): Generator<[T, T]> {
  for (let one = 0; one < all.length; one++) {
    for (let two = one + 1; two < all.length; two++) yield [all[one]!, all[two]!];
  }
}
