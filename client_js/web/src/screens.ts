/** The screens' components, each in a file of its own that is loaded when it is first needed. */

import type { Component } from "svelte";
import type { ReloadOnce } from "./reload.ts";
import type { Route } from "./routes.ts";
import Broken from "./screens/Broken.svelte";
import type Table from "./screens/Table.svelte";

/** What comes in a file of its own: the screens, and the table on which some of them play. */
type Part = Route["screen"] | "table";

/** What a screen is given: its route's fields. */
type Fields<Screen extends Part> = Omit<Extract<Route, { screen: Screen }>, "screen">;

type Load<Default> = () => Promise<{ readonly default: Default }>;

type Files = {
  readonly [Screen in Route["screen"]]: Load<Component<Fields<Screen>>>;
} & { readonly table: Load<typeof Table> };

const FILES: Files = {
  home: () => import("./screens/Home.svelte"),
  new: () => import("./screens/NewRace.svelte"),
  settings: () => import("./screens/Settings.svelte"),
  practice: () => import("./screens/Practice.svelte"),
  rules: () => import("./screens/Rules.svelte"),
  room: () => import("./screens/Room.svelte"),
  dailies: () => import("./screens/Dailies.svelte"),
  daily: () => import("./screens/Daily.svelte"),
  leaderboard: () => import("./screens/Leaderboard.svelte"),
  missing: () => import("./screens/Missing.svelte"),
  table: () => import("./screens/Table.svelte"),
};

/** Any part's component; `FILES` holds each to the fields that it is given. */
type AnyComponent = Component<Record<string, unknown>>;

export class Screens {
  readonly #files: Readonly<Record<Part, () => Promise<unknown>>>;
  readonly #reload: Pick<ReloadOnce, "now" | "forget">;
  readonly #loaded = new Map<Part, AnyComponent>();

  /** `reload` gets a page whose parts the server has. */
  constructor(
    reload: Pick<ReloadOnce, "now" | "forget">,
    files: Record<Part, () => Promise<unknown>> = FILES,
  ) {
    this.#reload = reload;
    this.#files = files;
  }

  /** Whether a part can be shown at once. */
  has(part: Part): boolean {
    return this.#loaded.has(part);
  }

  /**
   * Get a part, if it can be had.
   *
   * After a deployment, the server no longer has the parts of the page before: a part that does not
   * come is a reason to reload. If that does not help, or there is no network, `of` says so.
   */
  async load(part: Part): Promise<void> {
    try {
      await this.prepare(part);
      this.#reload.forget();
    } catch (error) {
      console.error(`The part '${part}' of the page did not come.`, error);
      // The page that is reloaded goes on.
      if (navigator.onLine && this.#reload.now()) await new Promise(() => undefined);
    }
  }

  /** Get a part that may be needed soon; rejects if it does not come. */
  async prepare(part: Part): Promise<void> {
    const { default: component } = (await this.#files[part]()) as { default: AnyComponent };
    this.#loaded.set(part, component);
  }

  /** The component of a part, or what is shown instead of one that did not come. */
  of(part: Part): AnyComponent {
    return this.#loaded.get(part) ?? Broken;
  }
}
