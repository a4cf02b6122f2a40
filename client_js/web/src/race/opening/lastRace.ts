/** The last race's settings in this browser, used as defaults for the next one. */

import { STANDARD, games } from "@samedeal/client";
import { storage } from "../../kit/storage.ts";
import { isChanges } from "../../../../src/rules/changes.ts";
import { usualLimit } from "../limits.ts";

/** The settings of a new room. */
export interface RaceWish {
  readonly game: string;
  readonly variant: string;
  readonly seats: number;
  /** Seconds. */
  readonly limit: number;
  readonly help: (typeof HELP)[number];
  /** Whether to play only deals that can be won, if the server has any. */
  readonly winnable: boolean;
  /** The known deal, which is not reused for the next race. */
  readonly known?: string;
}

const KEY = "samedeal.race";
/** The first game of the list is the best known. */
const GAME = games[0]?.id ?? "";
/** With undo: among friends, one wrong tap should not end a race. */
const DEFAULT: RaceWish = {
  ...{ game: GAME, variant: "standard", seats: 4, limit: usualLimit(GAME), help: "undo" },
  winnable: true,
};
const HELP = ["none", "undo", "hints"] as const;

export function lastRace(): RaceWish {
  return readRace(storage.getItem(KEY));
}

/** Return the settings for a link's game and variant, or else the last race's. */
export function wishOf(game = "", variant = ""): RaceWish {
  const last = lastRace();
  const known = games.find(({ id }) => id === game);
  const wanted = variant || known?.listing.race;
  const fits = isChanges(variant) || known?.variants.some(({ id }) => id === wanted);
  if (known === undefined || wanted === undefined || !fits) return last;
  return { ...last, game, variant: wanted, limit: usualLimit(game) };
}

/** Store a race's settings; custom rules are replaced by the game's. */
export function keepRace({ variant, ...wish }: RaceWish): void {
  const listed = isChanges(variant) ? STANDARD : variant;
  storage.setItem(KEY, JSON.stringify({ ...wish, variant: listed }));
}

/** Parse settings from stored JSON; use the defaults if they are malformed or outdated. */
export function readRace(text: string | null): RaceWish {
  try {
    const found: unknown = JSON.parse(text ?? "");
    const { game, variant, seats, limit, help } = found as RaceWish;
    const { winnable = true } = found as Partial<RaceWish>;
    const known = games.find(({ id }) => id === game);
    if (!known?.variants.some(({ id }) => id === variant)) return DEFAULT;
    if (!Number.isInteger(seats) || !Number.isInteger(limit)) return DEFAULT;
    return {
      ...{ game, variant, seats, limit, winnable },
      help: HELP.find((each) => each === help) ?? DEFAULT.help,
    };
  } catch {
    return DEFAULT;
  }
}
