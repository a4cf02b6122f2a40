/** The runners of a room's round, as the room tells of them. */

import type { RoomState } from "@samedeal/client";

/** The ids of the runners who have no session in the room, or no seat any more. */
export function awayRunners({ members, round }: RoomState): ReadonlySet<string> {
  const here = new Set(members.filter((member) => member.here).map((member) => member.player.id));
  const runners = round?.runners.map((runner) => runner.player.id) ?? [];
  return new Set(runners.filter((id) => !here.has(id)));
}
