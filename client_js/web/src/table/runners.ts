/** The runners of a room's round, from the room's state. */

import type { RoomState } from "@samedeal/client";

/** Return the ids of runners without a session in the room, or without a seat. */
export function awayRunners({ members, round }: RoomState): ReadonlySet<string> {
  const here = new Set(members.filter((member) => member.here).map((member) => member.player.id));
  const runners = round?.runners.map((runner) => runner.player.id) ?? [];
  return new Set(runners.filter((id) => !here.has(id)));
}
