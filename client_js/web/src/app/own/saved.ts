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
/** The most characters of a name. */
export const LONGEST_NAME = 40;

const KEY = "samedeal.own";

/** The kept games, the latest first; those that are malformed are left out. */
export function ownGames(storage: TextStorage): OwnGame[] {
  try {
    const found: unknown = JSON.parse(storage.getItem(KEY) ?? "[]");
    return Array.isArray(found) ? found.filter(isOwnGame).slice(0, MOST_OWN) : [];
  } catch {
    return [];
  }
}

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
  storage.setItem(KEY, JSON.stringify(games));
}

function isOwnGame(found: unknown): found is OwnGame {
  if (typeof found !== "object" || found === null) return false;
  const { game, rules, name } = found as Record<string, unknown>;
  return [game, rules, name].every((each) => typeof each === "string" && each !== "");
}
