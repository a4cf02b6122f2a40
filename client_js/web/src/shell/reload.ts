/** Reloading a page that is too old for the server, without reload loops. */

import type { Readable, Status } from "@samedeal/client";

/** Returns a storage that lasts as long as the tab; throws where the browser forbids it. */
type GetStorage = () => Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Reloads the page for one reason, and not again until `forget` is called. */
export class ReloadOnce {
  readonly #key: string;
  readonly #storage: GetStorage;
  readonly #reload: () => void;

  /** `key`: where the reason is marked in `storage`. */
  constructor(key: string, storage: GetStorage, reload: () => void) {
    this.#key = key;
    this.#storage = storage;
    this.#reload = reload;
  }

  /** Reload, unless that was done already; returns whether the page reloads. */
  now(): boolean {
    try {
      if (this.#storage().getItem(this.#key) !== null) return false;
      this.#storage().setItem(this.#key, "yes");
    } catch {
      // Without storage, nothing would stop a loop.
      return false;
    }
    this.#reload();
    return true;
  }

  /** The page works: allow another reload. */
  forget(): void {
    try {
      this.#storage().removeItem(this.#key);
    } catch {
      // Without storage, nothing was marked.
    }
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
