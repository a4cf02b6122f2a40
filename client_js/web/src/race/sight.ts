/** Whose boards may be watched, as decided by the server (`server/watching/core/sight.py`). */

import type { Round } from "@samedeal/client";

/** Whether a round of strangers, whom a spectator could help, still hides its boards. */
export function boardsHidden(round: Round): boolean {
  return round.public && !round.over;
}
