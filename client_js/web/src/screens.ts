/** The screens' components, each in a chunk of its own that is loaded on first use. */

import type { Component } from "svelte";
import type { ReloadOnce } from "./reload.ts";
import type { Route } from "./routes.ts";
import type Boards from "./screens/Boards.svelte";
import Broken from "./screens/Broken.svelte";
import type RoundOver from "./screens/RoundOver.svelte";
import type Seated from "./screens/Seated.svelte";
import type Table from "./screens/Table.svelte";

/**
 * A part of the page in a chunk of its own: a screen, the table that some screens use, the boards of
 * a race that is watched, or what a room shows to who has a seat,
 * and after its rounds.
 */
type Part = Route["screen"] | "table" | "boards" | "seated" | "over";

/** A screen's props: the fields of its route. */
type Fields<Screen extends Part> = Omit<Extract<Route, { screen: Screen }>, "screen">;

type Load<Default> = () => Promise<{ readonly default: Default }>;

type Files = {
  readonly [Screen in Route["screen"]]: Load<Component<Fields<Screen>>>;
} & {
  readonly table: Load<typeof Table>;
  readonly boards: Load<typeof Boards>;
  readonly seated: Load<typeof Seated>;
  readonly over: Load<typeof RoundOver>;
};

const FILES: Files = {
  home: () => import("./screens/Home.svelte"),
  new: () => import("./screens/NewRace.svelte"),
  account: () => import("./screens/Account.svelte"),
  settings: () => import("./screens/Settings.svelte"),
  practice: () => import("./screens/Practice.svelte"),
  rules: () => import("./screens/Rules.svelte"),
  room: () => import("./screens/Room.svelte"),
  watch: () => import("./screens/Watch.svelte"),
  dailies: () => import("./screens/Dailies.svelte"),
  daily: () => import("./screens/Daily.svelte"),
  leaderboard: () => import("./screens/Leaderboard.svelte"),
  run: () => import("./screens/Run.svelte"),
  ghost: () => import("./screens/Ghost.svelte"),
  deal: () => import("./screens/Deal.svelte"),
  play: () => import("./screens/PlayDeal.svelte"),
  line: () => import("./screens/Line.svelte"),
  archive: () => import("./screens/Archive.svelte"),
  day: () => import("./screens/Day.svelte"),
  player: () => import("./screens/PlayerPage.svelte"),
  missing: () => import("./screens/Missing.svelte"),
  table: () => import("./screens/Table.svelte"),
  boards: () => import("./screens/Boards.svelte"),
  seated: () => import("./screens/Seated.svelte"),
  over: () => import("./screens/RoundOver.svelte"),
};

/** Any part's component; the type of `FILES` checks each one's props. */
type AnyComponent = Component<Record<string, unknown>>;

export class Screens {
  readonly #files: Readonly<Record<Part, () => Promise<unknown>>>;
  readonly #reload: Pick<ReloadOnce, "now" | "forget">;
  readonly #loaded = new Map<Part, AnyComponent>();

  /** `reload` loads a newer page, whose chunks the server has. */
  constructor(
    reload: Pick<ReloadOnce, "now" | "forget">,
    files: Record<Part, () => Promise<unknown>> = FILES,
  ) {
    this.#reload = reload;
    this.#files = files;
  }

  /** Whether a part is loaded. */
  has(part: Part): boolean {
    return this.#loaded.has(part);
  }

  /**
   * Load a part; never rejects.
   *
   * After a deployment, the server no longer has the chunks of the page before, so the page reloads
   * if a part fails to load. If that does not help, or there is no network, `of` returns `Broken`.
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

  /** The component of a part, or `Broken` if it is not loaded. */
  of(part: Part): AnyComponent {
    return this.#loaded.get(part) ?? Broken;
  }
}
