/**
 * Ghosts: an ended run that somebody races against in practice. Of the run only its counters are
 * kept, so nothing of its board can be shown.
 */

import type { Replay, Result } from "@samedeal/client";
import { type Course, courseOf, homeAt } from "../app/courses.ts";
import { clockText, text } from "../text/index.ts";

/** A run, as far as a race against it needs it. It is stored in this browser. */
export interface Ghost {
  /** The id of the attempt that it was. */
  readonly attempt: string;
  /** The id and the name of its player. */
  readonly player: string;
  readonly name: string;
  readonly steps: Course;
  /** When it ended, in milliseconds since its start. */
  readonly ended: number;
  readonly result: Result;
}

/** The results that decide a ghost race. */
export type Outcome = Pick<Result, "home" | "time">;

/** The winner, and by how many cards; or by how many milliseconds, with as many cards. */
export type Comparison =
  | { readonly order: "ahead" | "behind"; readonly cards: number }
  | { readonly order: "ahead" | "behind"; readonly milliseconds: number }
  | { readonly order: "level" };

/** The ghost of a run. */
export function ghostOf(replay: Replay): Ghost {
  const { attempt, player, ended } = replay.run;
  const { id, name } = player;
  return { attempt, player: id, name, steps: courseOf(replay), ended, result: replay.result };
}

/** The cards that a ghost has home at a time in milliseconds since the start, and how it ended. */
export function ghostAt(ghost: Ghost, time: number): Pick<Result, "home" | "end"> {
  return { home: homeAt(ghost.steps, time), end: time < ghost.ended ? null : ghost.result.end };
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

/** A comparison with a ghost in words; its name is null if it is a run of the player's own. */
export function ghostWords(name: string | null, comparison: Comparison): string {
  const words = text.ghost;
  if (comparison.order === "level") return words.level(name);
  const by =
    "cards" in comparison ? words.cards(comparison.cards) : spanWords(comparison.milliseconds);
  return words[comparison.order](name, by);
}

/** A short span, as in "0.4 s" or "1:05 min"; a difference of less than a tenth is written as one. */
function spanWords(milliseconds: number): string {
  const tenths = Math.max(1, Math.round(milliseconds / 100));
  if (tenths >= 600) return text.ghost.minutes(clockText(milliseconds));
  return text.ghost.seconds((tenths / 10).toLocaleString(text.locale));
}
