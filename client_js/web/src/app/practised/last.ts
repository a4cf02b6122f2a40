/** The practice deals in this browser, as far as links to them need: without their cards. */

import type { TextStorage } from "@samedeal/client";
import { games } from "@samedeal/client";

/** The storage key of the game practised last. */
const LAST = "samedeal.practised";

/** An unfinished practice deal. */
export interface Unfinished {
  readonly variant: string | undefined;
  readonly moves: number;
}

/** Return the storage key of a game's practice deal. */
export function practiceKey(game: string): string {
  return `samedeal.practice.${game}`;
}

export function noteLast(storage: TextStorage, game: string): void {
  if (storage.getItem(LAST) !== game) storage.setItem(LAST, game);
}

/** Return the id of the game practised last; null if there is none. */
export function lastPractised(storage: TextStorage): string | null {
  const last = storage.getItem(LAST);
  return games.some(({ id }) => id === last) ? last : null;
}

/** Return a game's practice deal if it has moves and can go on; null otherwise. */
export function unfinished(storage: TextStorage, game: string): Unfinished | null {
  try {
    const { moves, variant, over } = JSON.parse(storage.getItem(practiceKey(game)) ?? "null") as {
      readonly [Key in "moves" | "variant" | "over"]: unknown;
    };
    if (!Array.isArray(moves) || moves.length === 0 || over === true) return null;
    return { variant: typeof variant === "string" ? variant : undefined, moves: moves.length };
  } catch {
    return null;
  }
}
