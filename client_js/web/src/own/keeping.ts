/** Changing which games by rules of one's own this browser keeps. */

import type { TextStorage } from "../../../src/storage.ts";
import { MOST_OWN, OWN_GAMES, type OwnGame, ownGames } from "../app/own/saved.ts";

/** The most characters of a name. */
export const LONGEST_NAME = 40;

/**
 * Keep a game in place of one with the same rules or of the same name. Returns whether there is
 * room for it, and it has a name.
 */
export function keepOwn({ game, rules, name }: OwnGame, storage: TextStorage): boolean {
  const kept = { game, rules, name: tidy(name) };
  const others = ownGames(storage).filter(
    (each) => each.game !== game || (each.rules !== rules && each.name !== kept.name),
  );
  if (kept.name === "" || others.length >= MOST_OWN) return false;
  store([kept, ...others], storage);
  return true;
}

/** Give a kept game another name, in its place; returns whether it has one then. */
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

/** A name as it is kept: of one line, and no longer than there is room for. */
export function tidy(name: string): string {
  return [...name.replace(/\s+/gu, " ").trim()].slice(0, LONGEST_NAME).join("").trim();
}

function isSame(one: OwnGame, other: OwnGame): boolean {
  return one.game === other.game && one.rules === other.rules;
}

function store(games: readonly OwnGame[], storage: TextStorage): void {
  storage.setItem(OWN_GAMES, JSON.stringify(games));
}
