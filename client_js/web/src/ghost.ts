/**
 * Ghosts: an ended run that somebody races against in practice. Of the run only its counters are
 * kept, so nothing of its board can be shown.
 */

import type { Replay, Result } from "@samedeal/client";

/** A run, as far as a race against it needs it. It is stored in this browser. */
export interface Ghost {
  /** The id of the attempt that it was. */
  readonly attempt: string;
  /** The id and the name of its player. */
  readonly player: string;
  readonly name: string;
  /**
   * The cards home from each time on at which they changed, in milliseconds since the start; the
   * first at 0, for the cards as dealt.
   */
  readonly steps: readonly (readonly [time: number, home: number])[];
  /** When it ended, in milliseconds since its start. */
  readonly ended: number;
  readonly result: Result;
}

/** What a ghost race is decided by. */
export type Outcome = Pick<Result, "home" | "time">;

/** Who was first, and by how many cards; or by how many milliseconds, with as many cards. */
export type Comparison =
  | { readonly order: "ahead" | "behind"; readonly cards: number }
  | { readonly order: "ahead" | "behind"; readonly milliseconds: number }
  | { readonly order: "level" };

/** The ghost of a run. */
export function ghostOf({ run, times, home, result }: Replay): Ghost {
  const changes = home.flatMap((cards, move): [number, number][] =>
    move === 0 || cards !== home[move - 1] ? [[times[move] ?? 0, cards]] : [],
  );
  const { attempt, player, ended } = run;
  return { attempt, player: player.id, name: player.name, steps: changes, ended, result };
}

/** The cards that a ghost has home at a time in milliseconds since the start, and how it ended. */
export function ghostAt(ghost: Ghost, time: number): Pick<Result, "home" | "end"> {
  const step = ghost.steps.findLast(([at]) => at <= time);
  return { home: step?.[1] ?? 0, end: time < ghost.ended ? null : ghost.result.end };
}

/**
 * Compare a run with another one on the same deal, as ranks do: by the cards home, then by the time
 * of the last of them. Unlike ranks, it does not go on to the moves.
 */
export function compare(own: Outcome, other: Outcome): Comparison {
  if (own.home !== other.home) {
    const order = own.home > other.home ? "ahead" : "behind";
    return { order, cards: Math.abs(own.home - other.home) };
  }
  if (own.time === other.time) return { order: "level" };
  const order = own.time < other.time ? "ahead" : "behind";
  return { order, milliseconds: Math.abs(own.time - other.time) };
}
