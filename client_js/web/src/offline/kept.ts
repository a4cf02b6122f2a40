/** What the service worker does with each request: the part of it that knows no browser. */

/** A file that is kept for when there is no network. */
export interface KeptFile {
  /** Its path on the server, as in `/assets/index-1234.js`. */
  readonly path: string;
  /** Its content's digest, as in `sha256-…`: what a server of another version sends is not kept. */
  readonly integrity: string;
}

/** The page that is shown without a network: as it was built, and the same at every address. */
export const ENTRY = "/screens/home.html";

/** `page`: from the network, else as it is kept; `file`: as it is kept; null: none of our business. */
export type Handling = "page" | "file" | null;

/** What the server answers that is not a screen: it is never kept and never replaced. */
const NO_SCREEN = new Set(["socket", "health", "metrics"]);

/** What to do with a request to `url`, from pages at `origin`. */
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
 * The network's answer, or else the kept one: when the network fails, is not heard of for so many
 * milliseconds, or when it is only a proxy that answers, because no server is there. Without a kept
 * answer it is always the network's.
 */
export async function networkFirst(
  ask: () => Promise<Response>,
  kept: () => Promise<Response | undefined>,
  patience: number,
): Promise<Response> {
  const asked = ask();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), patience)));
  const heard = await Promise.race([asked.catch(() => null), late]);
  clearTimeout(timer);
  if (heard !== null && heard.status < 500) return heard;
  return (await kept()) ?? asked;
}
