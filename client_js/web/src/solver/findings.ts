/** Findings of a review of a run, by the numbers of its moves. */

import type { Replay } from "@samedeal/client";
import type { Review } from "../../../src/solver/review.ts";

/**
 * The numbers of the moves that were not taken back in the end, after 0 for the board as dealt: the
 * boards after these are those of a review.
 */
export function keptMoves(moves: Replay["moves"]): number[] {
  const kept = [0];
  moves.forEach((move, at) => {
    if (move === null) kept.pop();
    else kept.push(at + 1);
  });
  return kept;
}

/** A move, by its number, and how many cards fewer could come home after it. */
export interface Costly {
  readonly move: number;
  readonly cards: number;
}

export interface Findings {
  /** The move that left the last line that won; null if none did, or it is not known. */
  readonly left: number | null;
  /** After how many moves a win was last known to be possible; null if it never was. */
  readonly winnable: number | null;
  /** Whether it was at the end. */
  readonly toTheEnd: boolean;
  /** How many cards fewer than at best came home; null if that is not known. */
  readonly short: number | null;
  /** How many cards more could still come home at the end; null if that is not known. */
  readonly open: number | null;
  /** The move that cost most cards; null if none did, or it is not known. */
  readonly costliest: Costly | null;
}

/** @param home how many cards the run brought home. */
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
    // After the moves that were taken back from there, it was again.
    winnable: winnable === null ? null : (kept[winnable + 1] ?? (kept[last] ?? 0) + 1) - 1,
    toTheEnd: winnable === last,
    open: prospects[last] == null ? null : prospects[last] - home,
    short: review.most ? review.home - home : null,
    costliest,
  };
}

/** How many cards could still come home, by time, as far as that is known. */
export function prospectsOf(
  { prospects }: Review,
  kept: readonly number[],
  times: readonly number[],
): (readonly [time: number, cards: number])[] {
  return prospects.flatMap((most, at): [number, number][] =>
    most === null || most === prospects[at - 1] ? [] : [[times[kept[at] ?? 0] ?? 0, most]],
  );
}
