/** The service worker's caching policy, without browser interfaces. */

/** A file that is cached for use without a network. */
export interface KeptFile {
  /** Its path on the server, as in `/assets/index-1234.js`. */
  readonly path: string;
  /** Its subresource integrity, as in `sha256-…`: files of another build are not cached. */
  readonly integrity: string;
}

/** The page that is shown without a network, the same one at every path. */
export const ENTRY = "/screens/home.html";

/** `page`: network first, then the cache; `file`: from the cache; null: not intercepted. */
export type Handling = "page" | "file" | null;

/** First path segments of what is not a screen: never intercepted. */
const NO_SCREEN = new Set(["socket", "health", "metrics"]);

/** How to handle a request to `url` from a page at `origin`; `kept`: the paths of cached files. */
export function handlingOf(
  { method, mode, url }: Pick<Request, "method" | "mode" | "url">,
  origin: string,
  kept: ReadonlySet<string>,
): Handling {
  const { origin: asked, pathname } = new URL(url);
  if (method !== "GET" || asked !== origin) return null;
  if (mode === "navigate") {
    return NO_SCREEN.has(pathname.split("/")[1] ?? "") ? null : "page";
  }
  return kept.has(pathname) ? "file" : null;
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
