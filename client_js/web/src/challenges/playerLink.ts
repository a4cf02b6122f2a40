/** Links to players' pages, as people paste them. */

import { routeOf } from "../app/routes.ts";

/** The id of the player whose page a link leads to; null if it leads elsewhere or is no link. */
export function playerIn(link: string): string | null {
  const typed = link.trim();
  if (!URL.canParse(typed)) return null;
  const route = routeOf(new URL(typed));
  return route.screen === "player" ? route.player : null;
}
