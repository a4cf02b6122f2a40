/** The page's router: the current route, and navigation without a reload. */

import { ROOT } from "../kit/root.ts";
import { type Route, routeOf } from "./routes.ts";
import type { Screens } from "./screens.ts";

export class Router {
  /** The shown route: the previous one until the current path's screen is loaded. */
  route = $state.raw<Route>(routeOf(location));
  readonly #screens: Pick<Screens, "has" | "load">;
  #pending = this.route;

  constructor(screens: Pick<Screens, "has" | "load">) {
    this.#screens = screens;
    addEventListener("popstate", () => void this.#navigate());
    document.addEventListener("click", (event) => this.#follow(event));
  }

  /** Navigate to a path; its screen finds `state` in `history.state`. */
  go(path: string, state: object | null = null): void {
    history.pushState(state, "", path);
    this.#arrive();
  }

  /** Navigate to a path, and remove the redirecting one from the history. */
  redirect(path: string): void {
    history.replaceState(null, "", path);
    this.#arrive();
  }

  #arrive(): void {
    void this.#navigate(() => scrollTo(0, 0));
  }

  /** Replace the current path, so that the back button does not return to it. */
  replace(path: string): void {
    history.replaceState(null, "", path);
    void this.#navigate();
  }

  async #navigate(shown: () => void = () => undefined): Promise<void> {
    const route = routeOf(location);
    this.#pending = route;
    if (!this.#screens.has(route.screen)) await this.#screens.load(route.screen);
    // The player may have navigated elsewhere meanwhile.
    if (this.#pending !== route) return;
    this.route = route;
    shown();
  }

  /** Handle clicks on internal links; leave all others to the browser. */
  #follow(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const other = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (link === null || other || event.button !== 0 || event.defaultPrevented) return;
    const url = new URL(link.href, location.href);
    if (url.origin !== location.origin || !url.pathname.startsWith(`${ROOT}/`)) return;
    // The browser itself follows anchors, and links to other windows.
    if (link.target || url.hash) return;
    event.preventDefault();
    this.go(url.pathname + url.search);
  }
}
