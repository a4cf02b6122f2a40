/**
 * The strip of a race: the gaps to the player's neighbours, the score to beat, and the chips'
 * positions.
 */

import { type Headway, type Player, type Result, games } from "@samedeal/client";
import { bareName } from "../../text/index.ts";
import type { Standing } from "./overtaking.ts";

/** A runner of a round as the track shows it. */
export interface OnTrack extends Standing {
  readonly player: Player;
  /** Whether this is the viewer. */
  readonly own: boolean;
  readonly end: Result["end"];
  /** Whether the runner is disconnected. */
  readonly gone: boolean;
  readonly colour: string | undefined;
  readonly headway: number;
}

/** The measure of a headway, as the texts name it. */
export type Counting = "order" | "turned";

/** A neighbour of the player in the order, and its lead in cards and in headway. */
export interface Gap<Runner extends Standing> {
  readonly runner: Runner;
  readonly by: number;
  readonly further: number;
}

/** Return the runners just ahead of the player and just behind; empty for non-participants. */
export function gapsBeside<Runner extends Standing>(
  order: readonly Runner[],
  me: string | undefined,
): Gap<Runner>[] {
  const at = order.findIndex(({ id }) => id === me);
  const own = order[at];
  if (own === undefined) return [];
  return [order[at - 1], order[at + 1]]
    .filter((runner) => runner !== undefined)
    .map((runner) => ({
      runner,
      by: runner.cards - own.cards,
      further: (runner.headway ?? 0) - (own.headway ?? 0),
    }));
}

/** Return the best finished runner with a card home, whose score the others have to beat. */
export function bestStopped<Runner extends Standing & { readonly end: unknown }>(
  order: readonly Runner[],
): Runner | undefined {
  return order.find(({ cards, end }) => end !== null && cards > 0);
}

/** Return a runner's distance: the cards home, and the headway as a part of the next card. */
export function distanceOf({ cards, headway = 0 }: Standing, most: number): number {
  return cards + headway / (most + 1);
}

/** The shortest track: a fraction of the headway, or in games without one, a few cards. */
const SHORTEST = { headway: 0.25, cards: 4 } as const;
/** The length of the track relative to the leader's distance. */
const AHEAD = 1.25;

/**
 * Return the distance at the end of the track. It is scaled to the leader, so that runners stand
 * apart from the start, and ends at `total` cards. `most` is the largest headway.
 */
export function endOf(runners: readonly Standing[], total: number, most: number): number {
  const leader = Math.max(0, ...runners.map((runner) => distanceOf(runner, most)));
  const shortest = most > 0 ? SHORTEST.headway : SHORTEST.cards;
  return Math.min(total, Math.max(shortest, AHEAD * leader));
}

/** Return the position of a distance on the track, from 0 to 1. */
export function along(distance: number, end: number): number {
  return Math.min(1, distance / end);
}

/** An element of the strip, in pixels: its preferred start, and its width. */
export interface Chip {
  readonly from: number;
  readonly width: number;
}

/**
 * Return the starts of chips so that none overlap: each at its preferred start or further on, so
 * that the better one is ahead. Chips at the end push the others back.
 *
 * @param chips in the order of the race, the first runner's first.
 * @param room the width of the strip; chips that do not fit overlap evenly.
 */
export function standApart(chips: readonly Chip[], room: number): number[] {
  const [first = 0, ...others] = chips.map(({ width }) => width);
  const behind = others.reduce((sum, width) => sum + width, 0);
  const squeeze = Math.min(1, (room - first) / behind);
  const taken = [first, ...others.map((width) => width * squeeze)];
  const starts = chips.map(({ from }) => from);
  for (let nth = chips.length - 2; nth >= 0; nth--) {
    starts[nth] = Math.max(starts[nth] ?? 0, (starts[nth + 1] ?? 0) + (taken[nth + 1] ?? 0));
  }
  let end = room;
  return starts.map((start, nth) => (end = Math.min(start, end - (taken[nth] ?? 0))));
}

/** Return a player's initials, or the first two letters of a name of one word. */
export function initialsOf(player: Pick<Player, "name">): string {
  const [first = "", ...others] = bareName(player).match(/[\p{L}\p{N}]+/gu) ?? [];
  const [one = "", two = ""] = first;
  const last = others.at(-1);
  return last === undefined ? one.toUpperCase() + two : (one + [...last][0]).toUpperCase();
}

/** Return what races of a game count besides cards home. */
export function headwayOf(game: string): Headway {
  return games.find(({ id }) => id === game)?.listing.headway ?? "none";
}
