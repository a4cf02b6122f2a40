/** What was raced last in this browser: the next race begins as the last one did. */

import { games } from "@samedeal/client";

/** What a room is opened with. */
export interface RaceWish {
  readonly game: string;
  readonly variant: string;
  readonly seats: number;
  /** Seconds. */
  readonly limit: number;
}

const KEY = "samedeal.race";
const FIRST: RaceWish = { game: "roosevelt", variant: "standard", seats: 4, limit: 900 };

export function lastRace(): RaceWish {
  return readRace(localStorage.getItem(KEY));
}

export function keepRace(wish: RaceWish): void {
  localStorage.setItem(KEY, JSON.stringify(wish));
}

/** The race in a text; the first one if it is none that can be had. */
export function readRace(text: string | null): RaceWish {
  try {
    const found: unknown = JSON.parse(text ?? "");
    const { game, variant, seats, limit } = found as RaceWish;
    const known = games.find(({ id }) => id === game);
    if (!known?.variants.some(({ id }) => id === variant)) return FIRST;
    return Number.isInteger(seats) && Number.isInteger(limit)
      ? { game, variant, seats, limit }
      : FIRST;
  } catch {
    return FIRST;
  }
}
