/**
 * Random plays by a sensible player who sees no card before it is dealt.
 *
 * This is the twin of `engine/solver/trials.py`, with the same random numbers.
 */

import { type Card, PACK_SIZE, RANKS } from "../rules/cards.ts";
import { type Places, type Stacks, Table, cardsLeft, inChains } from "./stacks.ts";

const PLAYS = 64;
const SEED = 2_463_534_242;
/** The weight of burying a card of the same chain, which can then never go home. */
const SAME_CHAIN = 16;
/** The weight of each buried card with an earlier turn. */
const BURIED = 4;
/** The greatest random addition to a pile's weight; a bit mask. */
const CHANCE = 3;

export interface Trials {
  /** The most cards brought home by one of them. */
  readonly home: number;
  /** The piles of the stock's cards in that play. */
  readonly places: Places;
  /** The total number of cards left in all of them. */
  readonly left: number;
}

/** Play a position `PLAYS` times; the random numbers are always the same. */
export function trials(stacks: Stacks): Trials {
  const player = new Player(stacks);
  let best: Trials = { home: -1, places: new Map(), left: 0 };
  let left = 0;
  for (let play = 0; play < PLAYS; play++) {
    const { home, places } = player.play();
    left += cardsLeft(stacks) - home;
    if (home > best.home) best = { home, places, left: 0 };
  }
  return { ...best, left };
}

/** Plays a position repeatedly, with random numbers from Marsaglia's xorshift32. */
class Player {
  private random = SEED | 0;
  private readonly stacks: Stacks;
  /** For each card, how many of its chain go home before it. */
  private readonly turns = new Uint8Array(PACK_SIZE).fill(PACK_SIZE);
  private readonly chains = new Int8Array(PACK_SIZE).fill(-1);

  constructor(stacks: Stacks) {
    this.stacks = stacks;
    for (const [card, [chain, turn]] of inChains(stacks)) {
      this.turns[card] = turn;
      this.chains[card] = chain;
    }
  }

  /** Return how many cards one play brings home, and the piles of the stock's cards. */
  play(): { home: number; places: Places } {
    const table = new Table(this.stacks);
    let home = table.settle().length;
    const places = new Map<Card, number>();
    for (const card of this.stacks.stock) {
      if (table.wanted.has(card)) {
        table.take(card);
        home += 1;
      } else {
        const pile = this.choose(table, card);
        places.set(card, pile);
        table.place(card, pile);
      }
      home += table.settle().length;
    }
    return { home, places };
  }

  /** Return the pile on which a card does the least harm, approximately; the first of equals. */
  private choose(table: Table, card: Card): number {
    const { turns, chains } = this;
    const turn = turns[card]!;
    let best = 0;
    let least = Infinity;
    table.piles.forEach((pile, number) => {
      let weight = this.chance();
      let first = RANKS.length;
      for (const other of pile) {
        const earlier = turns[other]!;
        if (earlier < turn) {
          weight += chains[other] === chains[card] ? SAME_CHAIN + BURIED : BURIED;
        }
        first = Math.min(first, earlier);
      }
      weight += Math.max(0, first - turn);
      if (weight < least) {
        best = number;
        least = weight;
      }
    });
    return best;
  }

  private chance(): number {
    this.random ^= this.random << 13;
    this.random ^= this.random >>> 17;
    this.random ^= this.random << 5;
    return this.random & CHANCE;
  }
}
