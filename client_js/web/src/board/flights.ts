/**
 * The timing of flights. A move's cards fly together; those of a row, a deal, a whole run going
 * home, or several turned to the waste fly one after another.
 */

import type { Ruleset } from "../../../src/rules/ruleset.ts";

import type { Flight } from "./motion.ts";
import type { Piece } from "./reconcile.ts";

/** Milliseconds between cards that fly one after another. */
const STAGGER = 35;
/** Milliseconds of a whole deal, and of one card's flight in it. */
const DEAL = 1_200;
const DEALT_CARD = 260;
/** The z-index of cards in flight, above those at rest. */
const LAYER = 200;

export class Flights {
  #delays: ReadonlyMap<number, number> = new Map();
  #dealt = { from: 0, until: 0 };

  get dealing(): boolean {
    return performance.now() < this.#dealt.until;
  }

  /** Start the deal: all pieces outside the stock fly out of it, row by row. */
  deal(pieces: readonly Piece[], stock: number): void {
    const dealt = pieces
      .filter(({ pile }) => pile !== stock)
      .toSorted((a, b) => a.index - b.index || a.pile - b.pile);
    const every = (DEAL - DEALT_CARD) / Math.max(1, dealt.length);
    this.#delays = new Map(dealt.map(({ key }, nth) => [key, nth * every]));
    const from = performance.now();
    this.#dealt = { from, until: from + DEAL };
  }

  /** Schedule the flights of pieces that have changed piles. */
  move(before: readonly Piece[], now: readonly Piece[], ruleset: Ruleset): void {
    if (this.dealing) return;
    const { foundations, waste } = ruleset;
    const piles = new Map(before.map(({ key, pile }) => [key, pile]));
    const moved = now.filter(({ key, pile }) => piles.has(key) && piles.get(key) !== pile);
    const isHome = ({ pile }: Piece) => foundations.includes(pile);
    // Automatic moves home come after all others.
    const flying = [...moved.filter((piece) => !isHome(piece)), ...moved.filter(isHome)];
    const together = flying.some(
      (piece, nth) =>
        piece.pile === flying[nth - 1]?.pile && !isHome(piece) && piece.pile !== waste,
    );
    this.#delays = new Map(flying.map(({ key }, nth) => [key, together ? 0 : nth * STAGGER]));
  }

  of({ key, index }: Piece): Flight {
    const delay = this.#delays.get(key) ?? 0;
    if (this.dealing) {
      // Cards are added over several frames; this corrects for a late start.
      const left = Math.max(0, this.#dealt.from + delay - performance.now());
      return { delay: left, layer: LAYER - index, duration: DEALT_CARD };
    }
    return { delay, layer: LAYER + index };
  }
}
