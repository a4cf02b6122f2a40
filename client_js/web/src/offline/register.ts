/** Offline use, in browsers with service workers. */

import { WORKER_URL } from "../kit/trusted.ts";

/** Register the service worker, which caches the page's files; return null if unsupported. */
export async function keepForOffline(): Promise<ServiceWorkerRegistration | null> {
  // Missing over plain HTTP and in some private windows.
  if (!("serviceWorker" in navigator)) return null;
  try {
    return await navigator.serviceWorker.register(WORKER_URL);
  } catch (error) {
    // Without it, the page works, but only with a network: players need no notice.
    console.warn("Could not register the service worker; the page will not work offline.", error);
    return null;
  }
}

/** Wait until the service worker runs; its registration is deferred until the page is idle. */
export async function running(): Promise<ServiceWorkerRegistration | null> {
  const registration = await keepForOffline();
  const { active, installing, waiting } = registration ?? {};
  const coming = installing ?? waiting;
  if (!active && coming) {
    await new Promise<void>((resolve) => {
      const look = () => {
        if (coming.state === "activated" || coming.state === "redundant") resolve();
      };
      coming.addEventListener("statechange", look);
      look();
    });
  }
  return registration?.active ? registration : null;
}
