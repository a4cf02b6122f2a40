/** What variants are called: rules of one's own by their name in this browser, never by their id. */

import { isChanges } from "../../../../src/rules/changes.ts";
import type { Ruleset } from "../../../../src/rules/ruleset.ts";
import type { Variant } from "../../../../src/rules/schema.ts";
import { STANDARD, games } from "@samedeal/client";
import { storage } from "../../kit/storage.ts";
import { entry, isolated, text } from "../../text/index.ts";
import { ownGames } from "./saved.ts";

/** A variant in words; undefined for the standard one, and for one that is not known. */
export function variantWords(game: string, variant: string): string | undefined {
  if (isChanges(variant)) return ownWords(game, variant);
  const known = games.find(({ id }) => id === game);
  const listed = known?.variants.find(({ id }) => id === variant && id !== STANDARD);
  return listed && listedWords(game, listed);
}

/** A listed variant in words: those of the language, or else of the game's file. */
export function listedWords(game: string, { id, name }: Variant): string {
  return entry(text.listed, `${game} ${id}`) ?? name;
}

/** Rules of one's own in words: their name in this browser, if they have one. */
export function ownWords(game: string, rules: string): string {
  const kept = ownGames(storage).find((each) => each.game === game && each.rules === rules);
  return kept === undefined ? text.start.own : isolated(kept.name);
}

/** A game's name, and that it is played by rules of one's own if it is. */
export function playedName({ game, variant, rules }: Ruleset): string {
  return isChanges(variant) ? `${rules.name}, ${ownWords(game, variant)}` : rules.name;
}
