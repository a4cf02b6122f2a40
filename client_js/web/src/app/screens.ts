/** The screens' components, as far as they are loaded; `shell/files.ts` says where each one is. */

import type { Component } from "svelte";
import type { Route } from "./routes.ts";

/**
 * A part of the page in a chunk of its own: a screen, the table that some screens use, the boards of
 * a race that is watched, or what a room shows to who has a seat,
 * and after its rounds.
 */
export type Part = Route["screen"] | "table" | "boards" | "seated" | "over";

/** Any part's component; the type of the page's files checks each one's props. */
export type AnyComponent = Component<Record<string, unknown>>;

/** Reloads the page, unless that was done already; returns whether it reloads. */
interface Reload {
  now(): boolean;
  forget(): void;
}

export class Screens {
  readonly #files: Readonly<Record<Part, () => Promise<unknown>>>;
  readonly #reload: Reload;
  readonly #broken: AnyComponent;
  readonly #loaded = new Map<Part, AnyComponent>();

  /** `reload` loads a newer page, whose chunks the server has; `broken` says that a part is missing. */
  constructor(reload: Reload, files: Record<Part, () => Promise<unknown>>, broken: AnyComponent) {
    this.#reload = reload;
    this.#files = files;
    this.#broken = broken;
  }

  /** Whether a part is loaded. */
  has(part: Part): boolean {
    return this.#loaded.has(part);
  }

  /**
   * Load a part; never rejects.
   *
   * After a deployment, the server no longer has the chunks of the page before, so the page reloads
   * if a part fails to load. If that does not help, or there is no network, `of` returns `broken`.
   */
  async load(part: Part): Promise<void> {
    try {
      await this.prepare(part);
      this.#reload.forget();
    } catch (error) {
      console.error(`The part '${part}' of the page did not come.`, error);
      // Wait for the reload.
      if (navigator.onLine && this.#reload.now()) await new Promise(() => undefined);
    }
  }

  /** Preload a part; rejects if that fails. */
  async prepare(part: Part): Promise<void> {
    const { default: component } = (await this.#files[part]()) as { default: AnyComponent };
    this.#loaded.set(part, component);
  }

  /** The component of a part, or `broken` if it is not loaded. */
  of(part: Part): AnyComponent {
    return this.#loaded.get(part) ?? this.#broken;
  }
}
