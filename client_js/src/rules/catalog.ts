/** The catalogue of games: the rulesets that the engine exported, compiled on first use. */

import { EngineError } from "./errors.ts";
import { Ruleset } from "./ruleset.ts";
import rulesets from "./rulesets.json" with { type: "json" };
import { type Game, STANDARD } from "./schema.ts";

/** All games, sorted by name. */
// The engine has validated the file; TypeScript infers `string` where `Game` has literal types.
export const games = rulesets.games as readonly unknown[] as readonly Game[];

/** The compiled rulesets. Their tables take time to compute, and most are never played. */
const ready = new Map<string, Ruleset>();

/** The rules of a game in a variant; throws `unknown_game` and `unknown_variant`. */
export function findRuleset(game: string, variant: string = STANDARD): Ruleset {
  const name = `${game}/${variant}`;
  const ruleset = ready.get(name) ?? makeRuleset(game, variant);
  ready.set(name, ruleset);
  return ruleset;
}

function makeRuleset(game: string, variant: string): Ruleset {
  const known = games.find(({ id }) => id === game);
  if (known === undefined) {
    const ids = games.map(({ id }) => id).join(", ");
    throw new EngineError("unknown_game", `There is no game '${game}'; known are ${ids}.`);
  }
  const found = known.variants.find(({ id }) => id === variant);
  if (found === undefined) {
    const ids = known.variants.map(({ id }) => id).join(", ");
    throw new EngineError(
      "unknown_variant",
      `${game} has no variant '${variant}'; known are ${ids}.`,
    );
  }
  return new Ruleset(game, variant, found.rules);
}
