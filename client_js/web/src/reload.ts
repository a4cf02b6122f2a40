/** Getting the newer page where the server no longer speaks this one's version of the protocol. */

import type { Readable, Status } from "@samedeal/client";

const KEY = "samedeal.reloaded";

/**
 * Reload when the server turns this page away as too old, but not again before a session was open:
 * if the page that comes is the same, it says so and leaves it to the player.
 *
 * @param storage one that outlives a reload and not the tab.
 */
export function reloadOnce(
  status: Readable<Status>,
  storage: () => Pick<Storage, "getItem" | "setItem" | "removeItem">,
  reload: () => void,
): void {
  status.subscribe((now) => {
    try {
      if (now === "open") storage().removeItem(KEY);
      if (now !== "incompatible" || storage().getItem(KEY) !== null) return;
      storage().setItem(KEY, "yes");
    } catch {
      // Browsers throw here where the player has forbidden storage: nothing would stop a loop.
      return;
    }
    reload();
  });
}
