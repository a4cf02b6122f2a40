/** Getting the newer page where this one no longer fits the server. */

import type { Readable, Status } from "@samedeal/client";

/** A storage that outlives a reload and not the tab; browsers throw where it is forbidden. */
type Place = () => Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** A reason to reload, for which that is done only once until it is forgotten. */
export class ReloadOnce {
  readonly #key: string;
  readonly #storage: Place;
  readonly #reload: () => void;

  /** `key` is that of the reason in `storage`. */
  constructor(key: string, storage: Place, reload: () => void) {
    this.#key = key;
    this.#storage = storage;
    this.#reload = reload;
  }

  /** Reload, unless that was done and did not help; returns whether the page reloads. */
  now(): boolean {
    try {
      if (this.#storage().getItem(this.#key) !== null) return false;
      this.#storage().setItem(this.#key, "yes");
    } catch {
      // Where nothing can be remembered, nothing would stop a loop.
      return false;
    }
    this.#reload();
    return true;
  }

  /** The page is fine: the next time is a first time. */
  forget(): void {
    try {
      this.#storage().removeItem(this.#key);
    } catch {
      // Nothing was remembered.
    }
  }
}

/**
 * Reload when the server turns this page away as too old, but not again before a session was open:
 * if the page that comes is the same, it says so and leaves it to the player.
 */
export function reloadWhenTooOld(status: Readable<Status>, once: ReloadOnce): void {
  status.subscribe((now) => {
    if (now === "open") once.forget();
    if (now === "incompatible") once.now();
  });
}
