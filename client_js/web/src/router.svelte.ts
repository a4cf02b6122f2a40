/** The screen that is shown, and going to another. */

import { type Route, routeOf } from "./routes.ts";

export class Router {
  route = $state.raw<Route>(routeOf(location));

  constructor() {
    addEventListener("popstate", () => this.read());
    document.addEventListener("click", (event) => this.follow(event));
  }

  go(path: string): void {
    history.pushState(null, "", path);
    this.read();
    scrollTo(0, 0);
  }

  private read(): void {
    this.route = routeOf(location);
  }

  /** Follow links of this page without loading it anew; leave all other clicks to the browser. */
  private follow(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const other = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (link === null || other || event.button !== 0 || event.defaultPrevented) return;
    const url = new URL(link.href, location.href);
    if (url.origin !== location.origin || link.target || url.hash) return;
    event.preventDefault();
    this.go(url.pathname + url.search);
  }
}
