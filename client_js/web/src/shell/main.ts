import "./app.css";
import { Client, tokenIn } from "@samedeal/client";
import { mount } from "svelte";
import AppRoot from "./App.svelte";
import { Averages } from "../app/averages.ts";
import { CardStyles } from "../cards/index.ts";
import { Clock } from "../app/clock.ts";
import { ConnectionState } from "../app/connection.svelte.ts";
import { FILES } from "./files.ts";
import { otherTasks, whenIdle } from "../kit/idle.ts";
import { KeptIdentity } from "../app/keptIdentity.svelte.ts";
import { Notices } from "../app/notices.svelte.ts";
import { keepForOffline } from "../offline/register.ts";
import { OwnPage } from "../app/ownPage.svelte.ts";
import { ReloadOnce, reloadWhenTooOld } from "./reload.ts";
import { onceOpened } from "./prerendering.ts";
import { ROOT } from "../kit/root.ts";
import { Router } from "../app/router.svelte.ts";
import { RunningGames } from "../app/runningGames.svelte.ts";
import { Screens } from "../app/screens.ts";
import Broken from "./Broken.svelte";
import { Settings } from "../app/settings.svelte.ts";
import { Sounds } from "../app/sounds.ts";
import { storage, tabStorage } from "../kit/storage.ts";
import { LANGUAGES, dateWords, text, useLanguage } from "../text/index.ts";

const scheme = location.protocol === "https:" ? "wss:" : "ws:";
// An open page may regain its network at any time: commands wait without a timeout.
const client = new Client({
  ...{ url: `${scheme}//${location.host}${ROOT}/socket`, timeout: Infinity },
  storage: tokenIn(storage),
});
const settings = new Settings();
const reloadFor = (reason: string) =>
  new ReloadOnce(`samedeal.reloaded${reason}`, tabStorage, () => location.reload());
const screens = new Screens(reloadFor(".part"), FILES, Broken);
const drawings = import("../cards/drawings.ts");
const reloadForCards = reloadFor(".cards");
drawings.then(
  () => reloadForCards.forget(),
  (error: unknown) => {
    console.error("Could not load the card drawings.", error);
    if (navigator.onLine) reloadForCards.now();
  },
);
const idle = new Promise<void>(whenIdle);
const courses = idle
  .then(() => import("../app/courses.ts"))
  .then(({ Courses }) => new Courses(client, storage));
// Callers continue without them. It also fails if the page is left meanwhile.
courses.catch((error: unknown) => console.warn("Could not load the courses of dailies.", error));
const lasting = idle
  .then(() => import("../offline/lasting.ts"))
  .then(({ Lasting }) => new Lasting(client, storage, (navigator as Partial<Navigator>).storage));
lasting.catch((error: unknown) =>
  console.warn("Could not ask the browser to persist the storage.", error),
);
const router = new Router(screens);
const app = {
  client,
  clock: new Clock(client),
  connection: new ConnectionState(client.status),
  courses,
  kept: new KeptIdentity(client, storage),
  lasting,
  notices: new Notices(),
  own: new OwnPage(client),
  router,
  running: new RunningGames(client, storage),
  screens,
  settings,
  drawings,
  cardStyles: new CardStyles(document, settings.cards, drawings),
  sounds: new Sounds(() => settings.sound),
  averages: new Averages(storage),
};
reloadWhenTooOld(client.status, reloadFor(""));
// A session creates a guest and takes a seat in a room, which a prerendered page must not do.
onceOpened(document, () => client.connect());
void start();

/** Mount the page once its texts and its first screen are loaded. */
async function start(): Promise<void> {
  const target = document.getElementById("app");
  if (target === null) throw new Error("index.html has no #app.");
  const reload = reloadFor(".words");
  const words = useLanguage(settings.spoken).then(
    () => reload.forget(),
    async (error: unknown) => {
      console.error("Could not load the page's texts.", error);
      // After a deployment, the server no longer has the previous page's files.
      if (navigator.onLine && reload.now()) await new Promise(() => undefined);
      await useLanguage(LANGUAGES[0]);
    },
  );
  await Promise.all([words, screens.load(router.route.screen)]);
  // Mounting is a long task: let the browser paint and handle input first.
  await otherTasks();
  target.replaceChildren();
  mount(AppRoot, { target, props: { app } });
  storage.keeps.subscribe((keeps) => {
    if (!keeps) app.notices.say(text.notKept);
  });
  // A browser's first date formatting is slow: do it before it is needed.
  whenIdle(() => dateWords(0));
  whenIdle(() => {
    // On failure, the table is loaded again on demand.
    screens
      .prepare("table")
      .catch((error: unknown) => console.warn("Could not preload the table.", error));
    if (import.meta.env.PROD) void keepForOffline();
    followNotifications();
    import("../kit/translation.ts").then(
      ({ surviveTranslation }) => surviveTranslation(document.body),
      (error: unknown) => console.warn("Could not load the support for page translation.", error),
    );
  });
}

/** Keep the server's record of this browser's notifications current, for each player here. */
function followNotifications(): void {
  let last: string | undefined;
  client.player.subscribe((player) => {
    if (player === null || player.id === last) return;
    last = player.id;
    // Other browsers have no subscription.
    if (!("Notification" in window) || Notification.permission !== "granted") return;
    import("../account/push.ts")
      .then(({ follow }) => follow(client, player.id))
      .catch((error: unknown) =>
        console.warn("Notifications may no longer reach this browser.", error),
      );
  });
}
