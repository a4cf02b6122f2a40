/** Whether the player is in a circle, as far as this browser knows without asking the server. */

import { storage } from "../kit/storage.ts";

const KEY = "samedeal.circles";

/** Record, for the next visit of the home screen, whether there are circles; not for null. */
export function noteCircles(circles: readonly unknown[] | null): void {
  if (circles === null) return;
  if (circles.length > 0) storage.setItem(KEY, "1");
  else storage.removeItem(KEY);
}

/** Whether the player was in a circle when last seen in this browser. */
export function knowsCircles(): boolean {
  return storage.getItem(KEY) !== null;
}
