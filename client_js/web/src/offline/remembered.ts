/**
 * This browser's push subscription as the server knows it. Both the page and the service worker can
 * read it, because a browser may renew or drop a subscription without the page.
 *
 * It contains no credentials: the service worker has no session and must not be able to act for the
 * player.
 */

/** A subscription known to the server. */
export interface Remembered {
  /** The id of the notified player. */
  readonly player: string;
  /** The id of the device; see `server/PROTOCOL.md`. */
  readonly device: string;
  /** The server's public key, used to subscribe. */
  readonly key: string;
  readonly language: string;
}

export interface Memory {
  read(): Promise<Remembered | null>;
  write(remembered: Remembered): Promise<void>;
  forget(): Promise<void>;
}

/** The service worker's message to open pages after a change of the subscription. */
export const RENEWED = "push-renewed";

/** Return the memory of the site at `scope`, in a cache that no build deletes. */
export function memoryIn(caches: CacheStorage, scope: string): Memory {
  const name = `samedeal.push${new URL(scope).pathname.slice(0, -1)}`;
  const at = `${scope}push`;
  return {
    async read() {
      const found = await caches.match(at, { cacheName: name });
      return found === undefined ? null : ((await found.json()) as Remembered);
    },
    async write(remembered) {
      await (await caches.open(name)).put(at, new Response(JSON.stringify(remembered)));
    },
    async forget() {
      await caches.delete(name);
    },
  };
}

/** Return the server's id of the device at an endpoint; see `server/PROTOCOL.md`. */
export async function deviceId(endpoint: string): Promise<string> {
  const digest = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(`samedeal push\0${endpoint}`),
  );
  return [...new Uint8Array(digest).subarray(0, 8)]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
