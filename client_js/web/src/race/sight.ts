/** Whose boards may be watched, as decided by the server (`server/watching/core/sight.py`). */

import type { Round } from "@samedeal/client";

/**
 * Whether a round still hides its boards from everyone: its players are strangers, whom a spectator
 * could help.
 */
export function boardsHidden(round: Round): boolean {
  return round.public && !round.over;
}
