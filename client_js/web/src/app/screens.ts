/** The loaded components of screens; `shell/files.ts` maps screens to files. */

import type { Component } from "svelte";
import type { Route } from "./routes.ts";

/**
 * A part of the page with its own chunk: a screen, the table shared by some screens, the boards of
 * a watched race, or a room's view for seated players and after its rounds.
 */
export type Part = Route["screen"] | "table" | "boards" | "seated" | "over";

/** Any part's component; the type of the page's file map checks each one's props. */
export type AnyComponent = Component<Record<string, unknown>>;

/** Reloads the page at most once; returns whether it reloads. */
interface Reload {
  now(): boolean;
  forget(): void;
}

export class Screens {
  readonly #files: Readonly<Record<Part, () => Promise<unknown>>>;
  readonly #reload: Reload;
  readonly #broken: AnyComponent;
  readonly #loaded = new Map<Part, AnyComponent>();

  /** `reload` loads a newer page, whose parts the server has; `broken` reports a missing part. */
  constructor(reload: Reload, files: Record<Part, () => Promise<unknown>>, broken: AnyComponent) {
    this.#reload = reload;
    this.#files = files;
    this.#broken = broken;
  }

  has(part: Part): boolean {
    return this.#loaded.has(part);
  }

  /**
   * Load a part; never rejects.
   *
   * After a deployment, the server no longer has the previous page's chunks, so the page reloads if
   * a part fails to load. If that does not help, or there is no network, `of` returns `broken`.
   */
  async load(part: Part): Promise<void> {
    try {
      await this.prepare(part);
      // Files are current again, so that a later deployment may cause another reload.
      this.#reload.forget();
    } catch (error) {
      console.error(`Could not load the page's part '${part}'.`, error);
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
