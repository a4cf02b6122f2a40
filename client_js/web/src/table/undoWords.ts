/** Words about undo in races, which are needed only once it is used. */

import { text } from "../text/index.ts";

/** Return that an undo counts as a move. */
export function countedWords(): string {
  return text.help.counted;
}
