/** Pasted links to players' pages. */

import { routeOf } from "../app/routes.ts";

/** Return the id of the player whose page a link leads to; null for any other text. */
export function playerIn(link: string): string | null {
  let url: URL;
  try {
    url = new URL(link.trim());
  } catch {
    return null;
  }
  const route = routeOf(url);
  return route.screen === "player" ? route.player : null;
}
