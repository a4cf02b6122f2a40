/** Players' names as they are shown. */

import type { Player } from "@samedeal/client";
import { text } from "./text/index.ts";

/** A player's name; the pace bot is called what it is in the player's language. */
export function nameOf({ name, bot }: Player): string {
  return bot ? text.bot.name : name;
}
