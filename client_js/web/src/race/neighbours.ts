/** Players of a room who share an address, as reported to its host. */

import type { Neighbours, RoomState } from "@samedeal/client";
import { nameOf } from "../text/index.ts";

/** The names of players at one address: those present, and those who have left. */
export interface Group {
  readonly here: readonly string[];
  readonly gone: readonly string[];
}

/**
 * Return the groups with at least one player still present. Empty for another room, and for rooms
 * that are only for friends, who often sit together.
 */
export function neighboursOf(room: RoomState, told: Neighbours | null): Group[] {
  if (told?.code !== room.code || !(room.public || room.round?.public)) return [];
  const here = new Map(room.members.map(({ player }) => [player.id, nameOf(player)]));
  const ran = new Map(room.round?.runners.map(({ player }) => [player.id, nameOf(player)]));
  return told.groups
    .map((group) => ({
      here: group.flatMap((id) => here.get(id) ?? []),
      gone: group.flatMap((id) => (here.has(id) ? [] : (ran.get(id) ?? []))),
    }))
    .filter((group) => group.here.length > 0 && group.here.length + group.gone.length > 1);
}
