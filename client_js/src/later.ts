/** Parts of this library that few visits need, each in its own file. */

import { Refusal } from "./refusal.ts";
import { loadLater } from "./wire.ts";

/** Load a rarely needed module together with the rarely needed message types. */
export async function withMessages<Module>(module: Promise<Module>): Promise<Module> {
  const [found] = await Promise.all([module, loadLater()]);
  return found;
}

/** A part that is loaded on first use, and again after a failed load. */
export class Later<Part> {
  readonly #load: () => Promise<Part>;
  #loading: Promise<Part> | null = null;

  constructor(load: () => Promise<Part>) {
    this.#load = load;
  }

  /** Return the part, always the same instance; refuse as `not_loaded` if it cannot be loaded. */
  get(): Promise<Part> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = null;

      throw new Refusal(
        "not_loaded",
        `A part of this client has not been loaded: ${String(error)}`,
        0,
        error,
      );
    });
    return this.#loading;
  }

  /**
   * Use the part if it was ever requested, after all earlier callers of `get` and before all later
   * ones. Do nothing if its files cannot be loaded.
   */
  async ifNeeded(use: (part: Part) => Promise<void>): Promise<void> {
    // Another `await` or `catch` before this would let the next caller go first.
    await this.#loading?.then(use, () => undefined);
  }
}
