/**
 * The service worker: keeps the files of one build, so that the page opens without a network.
 *
 * A newer one waits until no page of this build is open: a page finds all its files as long as it
 * lives, and two builds never mix.
 */

import { ENTRY, type KeptFile, handlingOf, networkFirst } from "./kept.ts";

declare const self: ServiceWorkerGlobalScope;

/** The files of this build, and a digest of them all; the build writes both in. */
declare const KEPT_FILES: readonly KeptFile[];
declare const KEPT_DIGEST: string;

const PREFIX = "samedeal-";
const CACHE = PREFIX + KEPT_DIGEST;

/** Milliseconds in which the network has to answer before the kept page is shown. */
const PATIENCE = 3_000;

const paths: ReadonlySet<string> = new Set(KEPT_FILES.map(({ path }) => path));

self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(takeOver()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const handling = handlingOf(request, self.location.origin, paths);
  if (handling === "page") {
    event.respondWith(
      networkFirst(
        () => fetch(request),
        () => kept(ENTRY),
        PATIENCE,
      ),
    );
  } else if (handling === "file") {
    event.respondWith(kept(request).then((file) => file ?? fetch(request)));
  }
});

/** Keep every file. If one is missing or of another build, none is kept: the browser tries later. */
async function keep(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll(KEPT_FILES.map(({ path, integrity }) => new Request(path, { integrity })));
}

/** Forget the builds before; no page of theirs is open any more. */
async function takeOver(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  // The page of the first visit can be without a network from now on, too.
  await self.clients.claim();
}

async function kept(request: Request | string): Promise<Response | undefined> {
  const cache = await caches.open(CACHE);
  // The server's answers vary in their compression alone, which is undone here.
  return cache.match(request, { ignoreVary: true });
}
