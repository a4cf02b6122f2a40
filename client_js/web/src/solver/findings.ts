/** A review's findings about a run, by move number. */

import type { Replay } from "@samedeal/client";
import type { Review } from "../../../src/solver/review.ts";

/**
 * Return the numbers of the moves that were not undone, preceded by 0 for the dealt board: the
 * boards after these are the reviewed ones.
 */
export function keptMoves(moves: Replay["moves"]): number[] {
  const kept = [0];
  moves.forEach((move, at) => {
    if (move === null) kept.pop();
    else kept.push(at + 1);
  });
  return kept;
}

/** A move's number, and by how many cards it lowered the prospects. */
export interface Costly {
  readonly move: number;
  readonly cards: number;
}

export interface Findings {
  /** The move that lost the last winning line; null if there was none or it is unknown. */
  readonly left: number | null;
  /** The last number of moves after which a win was known to be possible, or null. */
  readonly winnable: number | null;
  /** Whether a win was possible at the end. */
  readonly toTheEnd: boolean;
  /** How many more cards could have come home; null if unknown. */
  readonly short: number | null;
  /** How many more cards could still come home at the end; null if unknown. */
  readonly open: number | null;
  /** The most costly move; null if there was none or it is unknown. */
  readonly costliest: Costly | null;
}

/** @param home the number of cards brought home in the run. */
export function findingsOf(review: Review, kept: readonly number[], home: number): Findings {
  const { winnable, lost, prospects } = review;
  const last = kept.length - 1;
  let costliest: Costly | null = null;
  prospects.forEach((most, at) => {
    const before = prospects[at - 1];
    if (most == null || before == null) return;
    const cards = before - most;
    if (cards > (costliest?.cards ?? 0)) costliest = { move: kept[at] ?? 0, cards };
  });
  return {
    left: lost !== null && lost === (winnable ?? -Infinity) + 1 ? (kept[lost] ?? null) : null,
    // Undoing later moves restored the chance of a win.
    winnable: winnable === null ? null : (kept[winnable + 1] ?? (kept[last] ?? 0) + 1) - 1,
    toTheEnd: winnable === last,
    open: prospects[last] == null ? null : prospects[last] - home,
    short: review.most ? review.home - home : null,
    costliest,
  };
}

/** Return how many cards could still come home, by time, as far as known. */
export function prospectsOf(
  { prospects }: Review,
  kept: readonly number[],
  times: readonly number[],
): (readonly [time: number, cards: number])[] {
  return prospects.flatMap((most, at): [number, number][] =>
    most === null || most === prospects[at - 1] ? [] : [[times[kept[at] ?? 0] ?? 0, most]],
  );
}
