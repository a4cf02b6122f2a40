/** Whether the server can be reached, for whatever shows it. */

import type { Readable, Status } from "@samedeal/client";

export class ConnectionState {
  #lost = $state(false);

  constructor(status: Readable<Status>) {
    // Between two tries the status goes to and fro; it is lost until it is back.
    status.subscribe((now) => {
      if (now === "waiting" || now === "unreachable") this.#lost = true;
      else if (now !== "connecting") this.#lost = false;
    });
  }

  /** Whether there was no session since the last try to open one failed. */
  get lost(): boolean {
    return this.#lost;
  }
}
