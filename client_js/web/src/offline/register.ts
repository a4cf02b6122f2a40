/** Offline use, where the browser has service workers. */

import { WORKER_URL } from "../kit/trusted.ts";

/** Register the service worker, which caches the page's files. */
export function keepForOffline(): void {
  // There are none on plain http, nor in some private windows.
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker.register(WORKER_URL).catch((error: unknown) => {
    // The page works without it, but only with a network: players need no notice.
    console.warn("The page is not kept for when there is no network.", error);
  });
}
