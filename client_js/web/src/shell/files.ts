/** The files of the screens' components, each in its own chunk, loaded on first use. */

import type { Component } from "svelte";
import type { Route } from "../app/routes.ts";
import type { Part } from "../app/screens.ts";
import type Boards from "../watch/Boards.svelte";
import type RoundOver from "../race/rounds/RoundOver.svelte";
import type Seated from "../race/Seated.svelte";
import type Table from "../table/Table.svelte";
import { withOwnText, withRaceText, withText } from "../text/index.ts";

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
  new: () => withText(import("../race/opening/NewRace.svelte")),
  account: () => withText(import("../account/Account.svelte")),
  settings: () => withText(import("../account/Settings.svelte")),
  alone: () => withText(import("../practice/games/Alone.svelte")),
  statistics: () => withText(import("../statistics/Statistics.svelte")),
  practice: () => import("../practice/Practice.svelte"),
  known: () => withOwnText("known", import("../practice/known/KnownDeal.svelte")),
  rules: () => withText(import("../practice/Rules.svelte")),
  room: () => withRaceText(import("../race/Room.svelte")),
  watch: () => withText(import("../watch/Watch.svelte")),
  dailies: () => import("../daily/Dailies.svelte"),
  daily: () => import("../daily/Daily.svelte"),
  leaderboard: () => withText(import("../leaderboard/Leaderboard.svelte")),
  run: () => withOwnText("spoken", import("../replay/Run.svelte")),
  ghost: () => withText(import("../practice/Ghost.svelte")),
  deal: () => withText(import("../deals/Deal.svelte")),
  play: () => withText(import("../practice/PlayDeal.svelte")),
  line: () => withOwnText("spoken", import("../replay/Line.svelte")),
  archive: () => withText(import("../daily/Archive.svelte")),
  day: () => withText(import("../daily/Day.svelte")),
  player: () => withText(import("../account/PlayerPage.svelte")),
  operators: () => withOwnText("operators", import("../operators/Operators.svelte")),
  challenge: () => withOwnText("challenges", import("../challenges/Challenge.svelte")),
  challenging: () => withOwnText("challenges", import("../challenges/NewChallenge.svelte")),
  circles: () => withOwnText("circles", import("../circles/Circles.svelte")),
  own: () => withOwnText("variants", import("../own/Own.svelte")),
  missing: () => import("../parts/Missing.svelte"),
  table: () => withRaceText(import("../table/Table.svelte")),
  boards: () => withText(import("../watch/Boards.svelte")),
  seated: () => withText(import("../race/Seated.svelte")),
  over: () => withText(import("../race/rounds/RoundOver.svelte")),
};
