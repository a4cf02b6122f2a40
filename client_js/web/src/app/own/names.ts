/** Names of variants. Custom rules are shown by their name in this browser, never by their id. */

import { isChanges } from "../../../../src/rules/changes.ts";
import type { Ruleset } from "../../../../src/rules/ruleset.ts";
import type { Variant } from "../../../../src/rules/schema.ts";
import { STANDARD, games } from "@samedeal/client";
import { storage } from "../../kit/storage.ts";
import { entry, isolated, text } from "../../text/index.ts";
import { ownGames } from "./saved.ts";

/** Return a variant's name; undefined for the standard variant and for unknown ones. */
export function variantWords(game: string, variant: string): string | undefined {
  if (isChanges(variant)) return ownWords(game, variant);
  const known = games.find(({ id }) => id === game);
  const listed = known?.variants.find(({ id }) => id === variant && id !== STANDARD);
  return listed && listedWords(game, listed);
}

export function listedWords(game: string, { id, name }: Variant): string {
  return entry(text.listed, `${game} ${id}`) ?? name;
}

/** Return the name of custom rules in this browser, or a generic one. */
export function ownWords(game: string, rules: string): string {
  const kept = ownGames(storage).find((each) => each.game === game && each.rules === rules);
  return kept === undefined ? text.start.own : isolated(kept.name);
}

/** Return a game's name, with its variant's unless that is the standard one. */
export function playedName({ game, variant, rules }: Ruleset): string {
  return nameWith(rules.name, variantWords(game, variant));
}

/** Return the name of a game and its rules, in the only form that the page uses. */
export function nameWith(name: string, rules: string | undefined): string {
  return rules === undefined ? name : text.start.by(name, rules);
}
