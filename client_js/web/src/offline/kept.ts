/** The service worker's caching policy, without browser interfaces. */

import { SEGMENTS } from "../kit/segments.ts";

/** A file cached for use without a network. */
export interface KeptFile {
  /** Its path below the scope, such as `assets/index-1234.js`. */
  readonly path: string;
  /** Its subresource integrity, such as `sha256-…`: files of another build are not cached. */
  readonly integrity: string;
}

/** The page shown without a network, the same at every path. */
export const ENTRY = "screens/home.html";

/** `page`: network first, then the cache; `file`: from the cache; null: not intercepted. */
export type Handling = "page" | "file" | null;

/** First path segments of the screens that work without a network, or report that they do not. */
const SCREENS: ReadonlySet<string> = new Set(SEGMENTS);

/**
 * Return how to handle a request. Anything but the page's screens and files belongs to another site
 * or is a download: it is not intercepted.
 *
 * @param scope the URL of the site, with a trailing slash.
 * @param kept the paths of cached files.
 */
export function handlingOf(
  { method, mode, url }: Pick<Request, "method" | "mode" | "url">,
  scope: string,
  kept: ReadonlySet<string>,
): Handling {
  if (method !== "GET" || !url.startsWith(scope)) return null;
  const [path = ""] = url.slice(scope.length).split(/[?#]/);
  if (mode !== "navigate") return kept.has(path) ? "file" : null;
  // After `//`, the first segment is empty too.
  return SCREENS.has(path.split("/")[0] ?? "") && !path.startsWith("/") ? "page" : null;
}

const PREFIX = "samedeal-";

/** Return the cache name for the build with this digest, unique among the origin's sites. */
export function cacheOf(digest: string, scope: string): string {
  return PREFIX + digest + new URL(scope).pathname.slice(0, -1);
}

/** Whether a cache belongs to an earlier build of this site. */
export function isOld(name: string, digest: string, scope: string): boolean {
  const earlier = name.slice(PREFIX.length, PREFIX.length + digest.length);
  return earlier !== digest && name === cacheOf(earlier, scope);
}

/**
 * Return the network's response. Use the cached one if the network fails, does not respond within
 * `timeout` milliseconds, or responds with a server error, as a proxy does without its server.
 * Without a cached response, always return the network's.
 */
export async function networkFirst(
  ask: () => Promise<Response>,
  kept: () => Promise<Response | undefined>,
  timeout: number,
): Promise<Response> {
  const asked = ask();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), timeout)));
  const response = await Promise.race([asked.catch(() => null), late]);
  clearTimeout(timer);
  if (response !== null && response.status < 500) return response;
  // Without a cached page, a late or failed response is still the best one.
  return (await kept()) ?? asked;
}
