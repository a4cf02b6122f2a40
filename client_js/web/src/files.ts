/** The files of the screens' components, each in a chunk of its own that is loaded on first use. */

import type { Component } from "svelte";
import type { Route } from "./routes.ts";
import type { Part } from "./screens.ts";
import type Boards from "./screens/Boards.svelte";
import type RoundOver from "./screens/RoundOver.svelte";
import type Seated from "./screens/Seated.svelte";
import type Table from "./screens/Table.svelte";

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

export const FILES: Files = {
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
