/** The moments of an end: what there is to celebrate about it. Pure. */

import type { Result } from "@samedeal/client";
import { type Outcome, compare } from "./margin.ts";

/**
 * How large each moment is celebrated: with a show over the whole table, with a banner at the head of
 * the result, or with a seal beside it. From the largest to the smallest.
 */
export const SIZES = {
  /** All cards are home. */
  home: "show",
  /** A race against others is won. */
  race: "banner",
  /** Cards came home at the day's deal, and nobody is ahead. */
  best: "seal",
  /** All of the day's games count. */
  crown: "seal",
  /** The best of one's own runs. */
  record: "seal",
  /** A round number of days in a row. */
  streak: "seal",
} as const;

export type Moment = keyof typeof SIZES;
export type Seal = { [Each in Moment]: (typeof SIZES)[Each] extends "seal" ? Each : never }[Moment];

/** A place among so many. */
export interface Place {
  readonly rank: number | null;
  readonly of: number;
}

/** An end, with what is known about it where it is shown. */
export interface Ending {
  readonly result: Pick<Result, "end" | "home" | "time" | "undos" | "hints">;
  /** The best of the player's own runs before this one; null without one. */
  readonly before: Outcome | null;
  /** Of a round that is over. */
  readonly race?: Place;
  /** Of a daily. */
  readonly day?: {
    readonly place: Place;
    readonly crowned: boolean;
    /** How many days it is in a row. */
    readonly days: number;
  };
}

/** The moments that an end deserves, the largest first. */
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

/** Those that are celebrated with a seal. */
export function sealsOf(moments: readonly Moment[]): readonly Seal[] {
  return moments.filter((moment): moment is Seal => SIZES[moment] === "seal");
}

/** Whether a card came home: those that the deal itself puts there have no time. */
function hasCome({ time }: Pick<Result, "time">): boolean {
  return time > 0;
}

/** Whether a run may be a record: it brought a card home, by itself. */
export function isOwnWork(result: Ending["result"]): boolean {
  return hasCome(result) && result.undos + result.hints === 0;
}

function isRecord({ result, before }: Ending): boolean {
  return before !== null && isOwnWork(result) && compare(result, before).order === "ahead";
}

/** Whether nobody is ahead, where there is somebody else. */
function isAhead(place: Place | undefined): boolean {
  return place?.rank === 1 && place.of > 1;
}

/** Whether it is worth a word how many days it is in a row: the first three, and whole weeks. */
function isRound(days: number): boolean {
  return days === 3 || (days > 0 && days % 7 === 0);
}
