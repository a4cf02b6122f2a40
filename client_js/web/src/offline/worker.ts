/**
 * The service worker. It caches the files of one build, so that the page opens without a network,
 * and shows push messages while no page is open.
 *
 * A newer one activates only when no page of this build is open: an open page always finds its
 * files, and builds never mix.
 */

import { STOP, notify, show } from "./notify.ts";
import { memoryIn } from "./remembered.ts";
import { subscribeAgain } from "./subscribeAgain.ts";
import { shownOfRenewal } from "./told.ts";
import { ENTRY, type KeptFile, cacheOf, handlingOf, isOld, networkFirst } from "./kept.ts";

declare const self: ServiceWorkerGlobalScope;

/** The files of this build, and a digest of them all; both are inserted by the build. */
declare const KEPT_FILES: readonly KeptFile[];
declare const KEPT_DIGEST: string;

/** The URL of this site; its origin may have others. */
const SCOPE = self.registration.scope;
const CACHE = cacheOf(KEPT_DIGEST, SCOPE);
const memory = memoryIn(caches, SCOPE);

/** Milliseconds to wait for the network before showing the cached page. */
const NETWORK_TIMEOUT = 3_000;

const paths: ReadonlySet<string> = new Set(KEPT_FILES.map(({ path }) => path));

self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const handling = handlingOf(request, SCOPE, paths);
  if (handling === "page") {
    event.respondWith(
      networkFirst(
        () => fetch(request),
        () => kept(ENTRY),
        NETWORK_TIMEOUT,
      ),
    );
  } else if (handling === "file") {
    event.respondWith(kept(request).then((file) => file ?? fetch(request)));
  }
});

const place = {
  scope: SCOPE,
  language: self.navigator.language.slice(0, 2),
  show: (title: string, options: NotificationOptions) =>
    self.registration.showNotification(title, options),
};

self.addEventListener("push", (event) => {
  during(event, "Could not show a push message.", notify(event.data, place));
});
self.addEventListener("notificationclick", (event) => {
  const { action, notification } = event;
  notification.close();
  const link: unknown = notification.data;
  const done = action === STOP ? stop() : open(typeof link === "string" ? link : SCOPE);
  during(event, "Could not handle a click on a notification.", done);
});

self.addEventListener("pushsubscriptionchange", (event) => {
  const done = subscribeAgain(memory, {
    push: self.registration.pushManager,
    pages: () => self.clients.matchAll({ type: "window" }),
    ask: (language) =>
      show(shownOfRenewal(language), { link: "", language, tag: "renewed" }, place),
  });
  during(event, "Could not renew a changed subscription.", done);
});

/** Keep the worker alive until `done` settles, and log a failure to the console. */
function during(event: ExtendableEvent, failed: string, done: Promise<void>): void {
  event.waitUntil(done.catch((error: unknown) => console.error(failed, error)));
}

/** The push service reports the ended subscription to the server at its next message. */
async function stop(): Promise<void> {
  await memory.forget();
  await (await self.registration.pushManager.getSubscription())?.unsubscribe();
}

/** Show the page at a URL: an open one, or a new one. */
async function open(url: string): Promise<void> {
  const pages = await self.clients.matchAll({ type: "window" });
  const there = pages.find((page) => page.url === url);
  if (there) await there.focus();
  else await self.clients.openWindow(url);
}

/** Cache all files; reject if one is missing or of another build: the browser retries. */
async function keep(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll(KEPT_FILES.map(({ path, integrity }) => new Request(path, { integrity })));
}

/** Delete the caches of earlier builds, whose pages are all closed. */
async function activate(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => isOld(name, KEPT_DIGEST, SCOPE));
  await Promise.all(old.map((name) => caches.delete(name)));
  // Also control the page of the first visit, which was loaded without this worker.
  await self.clients.claim();
}

async function kept(request: Request | string): Promise<Response | undefined> {
  const cache = await caches.open(CACHE);
  // Responses vary by `Accept-Encoding` only, and are stored decoded.
  return cache.match(request, { ignoreVary: true });
}
