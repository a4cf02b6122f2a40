/** Keeping the page for when there is no network, where the browser can. */

/** Start the service worker, which keeps the page's files. */
export function keepForOffline(): void {
  // Browsers have none on plain http, nor in some private windows.
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker.register("/sw.js").catch((error: unknown) => {
    // The page works as before, but only with a network: nothing that a player has to be told.
    console.warn("The page is not kept for when there is no network.", error);
  });
}
