/** The settings of the last race in this browser, the defaults for the next one. */

import { STANDARD, games } from "@samedeal/client";
import { storage } from "../../kit/storage.ts";
import { isChanges } from "../../../../src/rules/changes.ts";
import { usualLimit } from "../limits.ts";

/** The settings that a room is created with. */
export interface RaceWish {
  readonly game: string;
  readonly variant: string;
  readonly seats: number;
  /** Seconds. */
  readonly limit: number;
  readonly help: "none" | "undo" | "hints";
  /** The known deal that it is to be on, which the next race does not begin with. */
  readonly known?: string;
}

const KEY = "samedeal.race";
/** Short, and nearly every deal of it can be won (`engine/solver/RESULTS.md`). */
const GAME = "lady-betty";
const DEFAULT: RaceWish = {
  ...{ game: GAME, variant: "standard", seats: 4, limit: usualLimit(GAME), help: "none" },
};

export function lastRace(): RaceWish {
  return readRace(storage.getItem(KEY));
}

/** The settings for a variant of a game that a link asks for; of the last race, if it asks for none. */
export function wishOf(game = "", variant = ""): RaceWish {
  const last = lastRace();
  const known = games.find(({ id }) => id === game);
  const fits = isChanges(variant) || known?.variants.some(({ id }) => id === variant);
  if (known === undefined || !fits) return last;
  return { ...last, game, variant, limit: usualLimit(game) };
}

/** Keep the settings of a race; a game's own rules, if they were those of the player. */
export function keepRace({ variant, ...wish }: RaceWish): void {
  const listed = isChanges(variant) ? STANDARD : variant;
  storage.setItem(KEY, JSON.stringify({ ...wish, variant: listed }));
}

/** The settings in stored JSON; the defaults if they are malformed or no longer offered. */
export function readRace(text: string | null): RaceWish {
  try {
    const found: unknown = JSON.parse(text ?? "");
    const { game, variant, seats, limit, help } = found as RaceWish;
    const known = games.find(({ id }) => id === game);
    if (!known?.variants.some(({ id }) => id === variant)) return DEFAULT;
    return Number.isInteger(seats) && Number.isInteger(limit)
      ? { game, variant, seats, limit, help: help === "undo" || help === "hints" ? help : "none" }
      : DEFAULT;
  } catch {
    return DEFAULT;
  }
}
