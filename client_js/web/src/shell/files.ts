/** The files of the screens' components, each in a chunk of its own that is loaded on first use. */

import type { Component } from "svelte";
import type { Route } from "../app/routes.ts";
import type { Part } from "../app/screens.ts";
import type Boards from "../watch/Boards.svelte";
import type RoundOver from "../race/rounds/RoundOver.svelte";
import type Seated from "../race/Seated.svelte";
import type Table from "../table/Table.svelte";

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
  home: () => import("../home/Home.svelte"),
  new: () => import("../race/opening/NewRace.svelte"),
  account: () => import("../account/Account.svelte"),
  settings: () => import("../account/Settings.svelte"),
  practice: () => import("../practice/Practice.svelte"),
  rules: () => import("../practice/Rules.svelte"),
  room: () => import("../race/Room.svelte"),
  watch: () => import("../watch/Watch.svelte"),
  dailies: () => import("../daily/Dailies.svelte"),
  daily: () => import("../daily/Daily.svelte"),
  leaderboard: () => import("../leaderboard/Leaderboard.svelte"),
  run: () => import("../replay/Run.svelte"),
  ghost: () => import("../practice/Ghost.svelte"),
  deal: () => import("../deals/Deal.svelte"),
  play: () => import("../practice/PlayDeal.svelte"),
  line: () => import("../replay/Line.svelte"),
  archive: () => import("../daily/Archive.svelte"),
  day: () => import("../daily/Day.svelte"),
  player: () => import("../account/PlayerPage.svelte"),
  missing: () => import("../parts/Missing.svelte"),
  table: () => import("../table/Table.svelte"),
  boards: () => import("../watch/Boards.svelte"),
  seated: () => import("../race/Seated.svelte"),
  over: () => import("../race/rounds/RoundOver.svelte"),
};
