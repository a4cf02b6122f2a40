/** The colours of a room's players, the same on every screen. */

import type { RoomState } from "@samedeal/client";

/** The number of colours, as `--player-1` and so on: one for each seat of the largest room. */
export const COLOURS = 8;

/** Players' CSS colours, by id. */
export type Colours = ReadonlyMap<string, string>;

/**
 * Assign each player a colour that does not depend on later players.
 *
 * @param ids the players' ids; earlier ones choose first.
 */
export function coloursOf(ids: readonly string[]): Colours {
  const colours = new Map<string, string>();
  const taken = new Set<number>();
  for (const id of new Set(ids)) {
    // Once all are taken, start over.
    if (taken.size === COLOURS) taken.clear();
    let nth = favourite(id);
    while (taken.has(nth)) nth = (nth + 1) % COLOURS;
    taken.add(nth);
    colours.set(id, css(nth));
  }
  return colours;
}

/** Return the colours that a room assigned: they never change while a player is present. */
export function roomColours({ members, round }: Pick<RoomState, "members" | "round">): Colours {
  return new Map(
    [...(round?.runners ?? []), ...members].map(({ player, colour }) => [player.id, css(colour)]),
  );
}

/** Return a colour as a CSS value, by its number from 0. */
function css(colour: number): string {
  return `var(--player-${colour + 1})`;
}

/** Return a player's preferred colour, from 0: identical to `favourite` in the server. */
function favourite(id: string): number {
  let hash = 0;
  for (const character of id) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return hash % COLOURS;
}
