/** The colours of the people in a room: each has one, and it is the same on every screen. */

import type { RoomState } from "@samedeal/client";

/** How many colours there are, as `--player-1` and so on: one for each seat of the largest room. */
export const COLOURS = 8;

/** Colours of players, as values of CSS, by the players' ids. */
export type Colours = ReadonlyMap<string, string>;

/**
 * Give each player a colour of their own, which depends on nobody who comes later.
 *
 * @param ids of the players; whoever comes earlier chooses first.
 */
export function coloursOf(ids: readonly string[]): Colours {
  const colours = new Map<string, string>();
  const taken = new Set<number>();
  for (const id of new Set(ids)) {
    // Once all are taken, they are given out again.
    if (taken.size === COLOURS) taken.clear();
    let nth = favourite(id);
    while (taken.has(nth)) nth = (nth + 1) % COLOURS;
    taken.add(nth);
    colours.set(id, css(nth));
  }
  return colours;
}

/** The colours in a room, which gives them out: nobody's changes while they are in it. */
export function roomColours({ members, round }: Pick<RoomState, "members" | "round">): Colours {
  return new Map(
    [...(round?.runners ?? []), ...members].map(({ player, colour }) => [player.id, css(colour)]),
  );
}

/** A colour as a value of CSS, by its number from 0. */
function css(colour: number): string {
  return `var(--player-${colour + 1})`;
}

/** The colour that a player has if nobody else has taken it, from 0: as `favourite` in the server. */
function favourite(id: string): number {
  let hash = 0;
  for (const character of id) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return hash % COLOURS;
}
