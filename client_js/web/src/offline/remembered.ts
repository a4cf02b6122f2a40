/**
 * What this browser was subscribed to notifications by, as the server knows it: where both the page
 * and the service worker find it, since a browser may renew or drop a subscription by itself.
 *
 * It has nothing by which anybody could act for the player: the service worker has no session.
 */

/** A subscription that the server knows. */
export interface Remembered {
  /** The id of the player who is told something here. */
  readonly player: string;
  /** The id of the device; see `server/PROTOCOL.md`. */
  readonly device: string;
  /** The server's public key, which the browser subscribes with. */
  readonly key: string;
  /** The language in which it is shown. */
  readonly language: string;
}

/** Where it is kept. */
export interface Memory {
  read(): Promise<Remembered | null>;
  write(remembered: Remembered): Promise<void>;
  forget(): Promise<void>;
}

/** What the service worker tells open pages when the subscription is another one. */
export const RENEWED = "push-renewed";

/** The memory of the site that lies below `scope`, in a cache that no build deletes. */
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

/** The id by which the server knows the device at an endpoint; see `server/PROTOCOL.md`. */
export async function deviceId(endpoint: string): Promise<string> {
  const digest = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(`samedeal push\0${endpoint}`),
  );
  return [...new Uint8Array(digest).subarray(0, 8)]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
