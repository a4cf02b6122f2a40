/** Reloading a page that is too old for the server, without reload loops. */

import type { BrowserStorage, Readable, Status } from "@samedeal/client";

/** A storage with the lifetime of the tab. */
type Marks = Pick<BrowserStorage, "getItem" | "setItem" | "removeItem">;

/** Reloads the page at most once for one reason, until `forget` is called. */
export class ReloadOnce {
  readonly #key: string;
  readonly #storage: Marks;
  readonly #reload: () => void;

  /** `key`: the storage key that marks the reason. */
  constructor(key: string, storage: Marks, reload: () => void) {
    this.#key = key;
    this.#storage = storage;
    this.#reload = reload;
  }

  /** Reload, unless already done; return whether the page reloads. */
  now(): boolean {
    if (this.#storage.getItem(this.#key) !== null) return false;
    // Without storage, nothing would prevent a loop.
    if (!this.#storage.setItem(this.#key, "yes")) return false;
    this.#reload();
    return true;
  }

  /** Allow another reload, because the page works. */
  forget(): void {
    this.#storage.removeItem(this.#key);
  }
}

/**
 * Reload when the server refuses this page's protocol version, but only once before the next
 * session: if the reloaded page is refused too, it shows that and leaves the rest to the player.
 */
export function reloadWhenTooOld(status: Readable<Status>, once: ReloadOnce): void {
  status.subscribe((now) => {
    if (now === "open") once.forget();
    if (now === "incompatible") once.now();
  });
}
