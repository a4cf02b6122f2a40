/** The games by rules of one's own that this browser keeps, each under a name of one's own. */

import type { TextStorage } from "../../../../src/storage.ts";

/** A game by own rules: nothing of it but the game and the rules is ever sent. */
export interface OwnGame {
  readonly game: string;
  /** The changes to the game's standard rules. */
  readonly rules: string;
  readonly name: string;
}

/** The most games that are kept. */
export const MOST_OWN = 50;

/** Where they are stored. */
export const OWN_GAMES = "samedeal.own";

/** The kept games, the latest first; those that are malformed are left out. */
export function ownGames(storage: TextStorage): OwnGame[] {
  try {
    const found: unknown = JSON.parse(storage.getItem(OWN_GAMES) ?? "[]");
    return Array.isArray(found) ? found.filter(isOwnGame).slice(0, MOST_OWN) : [];
  } catch {
    return [];
  }
}

function isOwnGame(found: unknown): found is OwnGame {
  if (typeof found !== "object" || found === null) return false;
  const { game, rules, name } = found as Record<string, unknown>;
  return [game, rules, name].every((each) => typeof each === "string" && each !== "");
}
