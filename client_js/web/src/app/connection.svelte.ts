/** Whether the connection is lost, as a reactive value. */

import type { Readable, Status } from "@samedeal/client";

export class ConnectionState {
  #lost = $state(false);

  constructor(status: Readable<Status>) {
    // While reconnecting, the status alternates with `connecting`, which must not change this.
    status.subscribe((now) => {
      if (now === "waiting" || now === "unreachable") this.#lost = true;
      else if (now !== "connecting") this.#lost = false;
    });
  }

  /** Whether the last session was lost or an attempt failed, with no session opened since. */
  get lost(): boolean {
    return this.#lost;
  }
}
