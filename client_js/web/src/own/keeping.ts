/** Changes to the games with custom rules saved in this browser. */

import type { TextStorage } from "../../../src/storage.ts";
import { MOST_OWN, OWN_GAMES, type OwnGame, ownGames } from "../app/own/saved.ts";

/** The maximum length of a name in characters. */
export const LONGEST_NAME = 40;

/** Save a game, replacing one with the same rules or name; false without name or room. */
export function keepOwn({ game, rules, name }: OwnGame, storage: TextStorage): boolean {
  const kept = { game, rules, name: tidy(name) };
  const others = ownGames(storage).filter(
    (each) => each.game !== game || (each.rules !== rules && each.name !== kept.name),
  );
  if (kept.name === "" || others.length >= MOST_OWN) return false;
  store([kept, ...others], storage);
  return true;
}

/** Rename a saved game; return whether it succeeded. */
export function renameOwn(own: OwnGame, name: string, storage: TextStorage): boolean {
  const tidied = tidy(name);
  if (tidied === "") return false;
  const all = ownGames(storage);
  store(
    all.map((each) => (isSame(each, own) ? { ...each, name: tidied } : each)),
    storage,
  );
  return true;
}

export function dropOwn(own: OwnGame, storage: TextStorage): void {
  store(
    ownGames(storage).filter((each) => !isSame(each, own)),
    storage,
  );
}

/** Return a name in its stored form: a single line, truncated to the maximum length. */
export function tidy(name: string): string {
  return [...name.replace(/\s+/gu, " ").trim()].slice(0, LONGEST_NAME).join("").trim();
}

function isSame(one: OwnGame, other: OwnGame): boolean {
  return one.game === other.game && one.rules === other.rules;
}

function store(games: readonly OwnGame[], storage: TextStorage): void {
  storage.setItem(OWN_GAMES, JSON.stringify(games));
}
