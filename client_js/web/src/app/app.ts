/** The context shared by all components. */

import type { Client } from "@samedeal/client";
import { createContext } from "svelte";
import type { Averages } from "./averages.ts";
import type { Drawings } from "../cards/drawings.ts";
import type { CardStyles } from "../cards/index.ts";
import type { Clock } from "./clock.ts";
import type { ConnectionState } from "./connection.svelte.ts";
import type { Courses } from "./courses.ts";
import type { KeptIdentity } from "./keptIdentity.svelte.ts";
import type { Lasting } from "../offline/lasting.ts";
import type { Notices } from "./notices.svelte.ts";
import type { OwnPage } from "./ownPage.svelte.ts";
import type { Router } from "./router.svelte.ts";
import type { RunningGames } from "./runningGames.svelte.ts";
import type { Screens } from "./screens.ts";
import type { Settings } from "./settings.svelte.ts";
import type { Sounds } from "./sounds.ts";

export interface App {
  readonly client: Client;
  readonly clock: Clock;
  readonly connection: ConnectionState;
  /** Rejects if the module cannot be loaded; a daily then ends without its own curve. */
  readonly courses: Promise<Courses>;
  readonly kept: KeptIdentity;
  /** Rejects if the module cannot be loaded; the browser is then not asked during this visit. */
  readonly lasting: Promise<Lasting>;
  readonly notices: Notices;
  readonly own: OwnPage;
  readonly router: Router;
  readonly running: RunningGames;
  readonly screens: Screens;
  readonly settings: Settings;
  readonly drawings: Promise<Drawings>;
  readonly cardStyles: CardStyles;
  readonly sounds: Sounds;
  readonly averages: Averages;
}

export const [useApp, provideApp] = createContext<App>();
