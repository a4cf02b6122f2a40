/** The celebrations at the end of a game. Pure functions. */

import type { Result } from "@samedeal/client";
import { type Outcome, compare } from "./margin.ts";

/** Each celebration's form: a show over the table, a banner, or a seal next to the result. */
export const SIZES = {
  home: "show",
  /** The player won a race against others. */
  race: "banner",
  /** Cards came home in the day's deal, and no player is ahead. */
  best: "seal",
  /** All of the day's games count. */
  crown: "seal",
  /** The player's best run. */
  record: "seal",
  /** A streak of a notable length. */
  streak: "seal",
} as const;

export type Moment = keyof typeof SIZES;
export type Seal = { [Each in Moment]: (typeof SIZES)[Each] extends "seal" ? Each : never }[Moment];

/** A place among `of` players. */
export interface Place {
  readonly rank: number | null;
  readonly of: number;
}

/** An end, with the facts known where it is shown. */
export interface Ending {
  readonly result: Pick<Result, "end" | "home" | "time" | "undos" | "hints">;
  /** The player's previous best run, or null. */
  readonly before: Outcome | null;
  /** The place in a finished round. */
  readonly race?: Place;
  /** The place in a daily. */
  readonly day?: {
    readonly place: Place;
    readonly crowned: boolean;
    readonly days: number;
  };
}

/** Return the celebrations that an end deserves, the largest first. */
export function momentsOf(ending: Ending): readonly Moment[] {
  const { result, race, day } = ending;
  const deserved: Readonly<Record<Moment, boolean>> = {
    home: result.end === "won",
    race: isAhead(race),
    best: hasCome(result) && isAhead(day?.place),
    crown: day?.crowned === true,
    record: isRecord(ending),
    streak: isRound(day?.days ?? 0),
  };
  return (Object.keys(SIZES) as Moment[]).filter((moment) => deserved[moment]);
}

export function sealsOf(moments: readonly Moment[]): readonly Seal[] {
  return moments.filter((moment): moment is Seal => SIZES[moment] === "seal");
}

/** Whether a card came home: cards placed by the deal itself have no time. */
function hasCome({ time }: Pick<Result, "time">): boolean {
  return time > 0;
}

/** Whether a run can be a record: it brought a card home without help. */
export function isOwnWork(result: Ending["result"]): boolean {
  return hasCome(result) && result.undos + result.hints === 0;
}

function isRecord({ result, before }: Ending): boolean {
  return before !== null && isOwnWork(result) && compare(result, before).order === "ahead";
}

/** Whether no player is ahead, with at least one other present. */
function isAhead(place: Place | undefined): boolean {
  return place?.rank === 1 && place.of > 1;
}

/** Whether the streak's length is worth mentioning: three days, and whole weeks. */
function isRound(days: number): boolean {
  return days === 3 || (days > 0 && days % 7 === 0);
}
