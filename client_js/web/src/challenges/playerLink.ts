/** Pasted links to players' pages. */

import { routeOf } from "../app/routes.ts";

/** Return the id of the player whose page a link leads to; null for any other text. */
export function playerIn(link: string): string | null {
  const typed = link.trim();
  if (!URL.canParse(typed)) return null;
  const route = routeOf(new URL(typed));
  return route.screen === "player" ? route.player : null;
}
