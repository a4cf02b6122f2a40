/** Reloading a page that is too old for the server, without reload loops. */

import type { BrowserStorage, Readable, Status } from "@samedeal/client";

/** A storage that lasts as long as the tab. */
type Marks = Pick<BrowserStorage, "getItem" | "setItem" | "removeItem">;

/** Reloads the page for one reason, and not again until `forget` is called. */
export class ReloadOnce {
  readonly #key: string;
  readonly #storage: Marks;
  readonly #reload: () => void;

  /** `key`: where the reason is marked in `storage`. */
  constructor(key: string, storage: Marks, reload: () => void) {
    this.#key = key;
    this.#storage = storage;
    this.#reload = reload;
  }

  /** Reload, unless that was done already; returns whether the page reloads. */
  now(): boolean {
    if (this.#storage.getItem(this.#key) !== null) return false;
    // Without storage, nothing would stop a loop.
    if (!this.#storage.setItem(this.#key, "yes")) return false;
    this.#reload();
    return true;
  }

  /** The page works: allow another reload. */
  forget(): void {
    this.#storage.removeItem(this.#key);
  }
}

/**
 * Reload when the server refuses this page's protocol version, but not again until a session was
 * open: if the reloaded page is refused too, it shows that and leaves the rest to the player.
 */
export function reloadWhenTooOld(status: Readable<Status>, once: ReloadOnce): void {
  status.subscribe((now) => {
    if (now === "open") once.forget();
    if (now === "incompatible") once.now();
  });
}
