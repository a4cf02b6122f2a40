/** The games with custom rules saved in this browser, each under its own name. */

import type { TextStorage } from "../../../../src/storage.ts";

/** A game with custom rules. Only the game and the rules are ever sent, never the name. */
export interface OwnGame {
  readonly game: string;
  /** The changes to the game's standard rules. */
  readonly rules: string;
  readonly name: string;
}

/** The most saved games. */
export const MOST_OWN = 50;

/** Their storage key. */
export const OWN_GAMES = "samedeal.own";

/** Return the saved games, the latest first, without malformed ones. */
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
