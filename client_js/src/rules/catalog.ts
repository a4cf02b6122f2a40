/** The games that are known: what the server's engine printed, made ready for play once. */

import { EngineError } from "./errors.ts";
import { Ruleset } from "./ruleset.ts";
import rulesets from "./rulesets.json" with { type: "json" };
import { type Game, STANDARD } from "./schema.ts";

/** The games, in the order of their names. */
// The engine's own reader has checked the file; its JSON types are wider than the words in it.
export const games = rulesets.games as readonly unknown[] as readonly Game[];

const known = new Map(
  games.map((game) => [
    game.id,
    new Map(game.variants.map(({ id, rules }) => [id, new Ruleset(game.id, id, rules)])),
  ]),
);

/** The rules of a game in a variant; throws `unknown_game` and `unknown_variant`. */
export function findRuleset(game: string, variant: string = STANDARD): Ruleset {
  const variants = known.get(game);
  if (variants === undefined) {
    const ids = [...known.keys()].join(", ");
    throw new EngineError("unknown_game", `There is no game '${game}'; known are ${ids}.`);
  }
  const found = variants.get(variant);
  if (found === undefined) {
    const ids = [...variants.keys()].join(", ");
    throw new EngineError(
      "unknown_variant",
      `${game} has no variant '${variant}'; known are ${ids}.`,
    );
  }
  return found;
}
