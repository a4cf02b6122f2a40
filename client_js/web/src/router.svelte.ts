/** The screen that is shown, and going to another. */

import { type Route, routeOf } from "./routes.ts";
import type { Screens } from "./screens.ts";

export class Router {
  /** What is shown: the screen before stays until the one that the address means is here. */
  route = $state.raw<Route>(routeOf(location));
  readonly #screens: Pick<Screens, "has" | "load">;
  #wanted = this.route;

  constructor(screens: Pick<Screens, "has" | "load">) {
    this.#screens = screens;
    addEventListener("popstate", () => void this.#read());
    document.addEventListener("click", (event) => this.#follow(event));
  }

  go(path: string): void {
    history.pushState(null, "", path);
    void this.#read(() => scrollTo(0, 0));
  }

  async #read(shown: () => void = () => undefined): Promise<void> {
    const route = routeOf(location);
    this.#wanted = route;
    if (!this.#screens.has(route.screen)) await this.#screens.load(route.screen);
    // Meanwhile the player may have gone elsewhere.
    if (this.#wanted !== route) return;
    this.route = route;
    shown();
  }

  /** Follow links of this page without loading it anew; leave all other clicks to the browser. */
  #follow(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const other = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (link === null || other || event.button !== 0 || event.defaultPrevented) return;
    const url = new URL(link.href, location.href);
    if (url.origin !== location.origin || link.target || url.hash) return;
    event.preventDefault();
    this.go(url.pathname + url.search);
  }
}
