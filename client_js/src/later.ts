/** Parts of this library that few visits need, each in a file of its own. */

import { Refusal } from "./refusal.ts";
import { loadLater } from "./wire.ts";

/** Wait for a module whose messages few visits need, and for those. */
export async function withMessages<Module>(module: Promise<Module>): Promise<Module> {
  const [found] = await Promise.all([module, loadLater()]);
  return found;
}

/** A part that is loaded when it is first needed, and again if that has failed. */
export class Later<Part> {
  readonly #load: () => Promise<Part>;
  #loading: Promise<Part> | null = null;

  constructor(load: () => Promise<Part>) {
    this.#load = load;
  }

  /** The part, the same one each time; refused as `not_loaded` if its files do not come. */
  get(): Promise<Part> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = null;

      throw new Refusal(
        "not_loaded",
        `A part of this client has not been loaded: ${String(error)}`,
      );
    });
    return this.#loading;
  }

  /**
   * Use the part if it was ever needed: after whoever has called `get` before, and before whoever
   * does from now on. Nothing happens if its files do not come.
   */
  async ifNeeded(use: (part: Part) => Promise<void>): Promise<void> {
    // Not after another `await` or `catch`, each of which lets the next caller go first.
    await this.#loading?.then(use, () => undefined);
  }
}
