import "./app.css";
import { Client } from "@samedeal/client";
import { mount } from "svelte";
import AppRoot from "./App.svelte";
import { Averages } from "./averages.ts";
import { CardStyles } from "./cards/index.ts";
import { Clock } from "./clock.ts";
import { Notices } from "./notices.svelte.ts";
import { reloadOnce } from "./reload.ts";
import { Router } from "./router.svelte.ts";
import { Settings } from "./settings.svelte.ts";
import { Sounds } from "./sounds.ts";
import { useLanguage } from "./text/index.ts";

const scheme = location.protocol === "https:" ? "wss:" : "ws:";
const client = new Client({ url: `${scheme}//${location.host}/socket` });
const settings = new Settings();
const app = {
  client,
  clock: new Clock(() => client.now()),
  notices: new Notices(),
  router: new Router(),
  settings,
  cardStyles: new CardStyles(document, settings.cards),
  sounds: new Sounds(() => settings.sound),
  averages: new Averages(localStorage),
};
const target = document.getElementById("app");
if (target === null) throw new Error("index.html has no #app.");
await useLanguage(settings.spoken);
mount(AppRoot, { target, props: { app } });
reloadOnce(
  client.status,
  () => sessionStorage,
  () => location.reload(),
);
client.connect();
