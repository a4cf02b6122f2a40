/** The service worker's caching policy, without browser interfaces. */

import { SEGMENTS } from "../kit/segments.ts";

/** A file that is cached for use without a network. */
export interface KeptFile {
  /** Its path below the scope, as in `assets/index-1234.js`. */
  readonly path: string;
  /** Its subresource integrity, as in `sha256-…`: files of another build are not cached. */
  readonly integrity: string;
}

/** The page that is shown without a network, the same one at every path. */
export const ENTRY = "screens/home.html";

/** `page`: network first, then the cache; `file`: from the cache; null: not intercepted. */
export type Handling = "page" | "file" | null;

/** First path segments of the screens that work without a network, or say that they do not. */
const SCREENS: ReadonlySet<string> = new Set(SEGMENTS);

/**
 * How to handle a request. What is no screen and no file of the page is another site's, or a
 * download: it is not intercepted.
 *
 * @param scope the URL that the whole site lies below, with a slash at the end.
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
  // Below `//`, the first segment is empty, too.
  return SCREENS.has(path.split("/")[0] ?? "") && !path.startsWith("/") ? "page" : null;
}

const PREFIX = "samedeal-";

/** The name of the cache for the build with this digest, which no other site on the origin has. */
export function cacheOf(digest: string, scope: string): string {
  return PREFIX + digest + new URL(scope).pathname.slice(0, -1);
}

/** Whether a cache is that of an earlier build of this site, and not one of another site's. */
export function isOld(name: string, digest: string, scope: string): boolean {
  const earlier = name.slice(PREFIX.length, PREFIX.length + digest.length);
  return earlier !== digest && name === cacheOf(earlier, scope);
}

/**
 * The network's response, or else the cached one: when the network fails, does not respond within
 * `timeout` milliseconds, or responds with a server error, as a proxy does without a server behind
 * it. Without a cached response it is always the network's.
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
  return (await kept()) ?? asked;
}
