/** Whether the player is in a circle, as far as this browser knows without asking. */

import { storage } from "../kit/storage.ts";

const KEY = "samedeal.circles";

/** Note the player's circles, for the next visit of the start page; null changes nothing. */
export function noteCircles(circles: readonly unknown[] | null): void {
  if (circles === null) return;
  if (circles.length > 0) storage.setItem(KEY, "1");
  else storage.removeItem(KEY);
}

/** Whether the player was in a circle when last seen here. */
export function knowsCircles(): boolean {
  return storage.getItem(KEY) !== null;
}
