/** A runner whose board spectators can watch. */

import type { Runner, RunnerBoard } from "@samedeal/client";

export interface Watchable extends Omit<Runner, "colour"> {
  /** As CSS. */
  readonly colour: string | undefined;
  /** Null until the server has sent it. */
  readonly board: RunnerBoard | null;
}
