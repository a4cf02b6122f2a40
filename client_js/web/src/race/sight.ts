/** Whose boards may be watched, as the server decides it (`server/watching/core/sight.py`). */

import type { Round } from "@samedeal/client";

/** Whether a round shows its boards to nobody yet: strangers play it, whom somebody could tell. */
export function boardsHidden(round: Round): boolean {
  return round.public && !round.over;
}
