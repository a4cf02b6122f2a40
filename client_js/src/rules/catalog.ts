/** The catalogue of games: the rulesets that the engine exported, compiled on first use. */

import { EngineError } from "./errors.ts";
import { Ruleset } from "./ruleset.ts";
import rulesets from "./rulesets.json" with { type: "json" };
import { type Game, STANDARD, type Unlisted } from "./schema.ts";

// The engine's own reader has checked the file; its JSON types are wider than the words in it.

/** All games, sorted by name. */
// The engine has validated the file; TypeScript infers `string` where `Game` has literal types.
export const games = rulesets.games as readonly unknown[] as readonly Game[];

/** Superseded rules, by which no new deal is played, only those that began with them. */
const unlisted = rulesets.unlisted as readonly unknown[] as readonly Unlisted[];

/** For each game and variant, the digest of the rules that are meant where none is named. */
const unnamed: Readonly<Record<string, Readonly<Record<string, string>>>> = rulesets.unnamed;

/** The compiled rulesets. Their tables take time to compute, and most are never played. */
const ready = new Map<string, Ruleset>();

/**
 * The rules by which new deals of a game are played; throws `unknown_game` and `unknown_variant`.
 */
export function findRuleset(game: string, variant: string = STANDARD): Ruleset {
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
  return prepared({ ...found, game, variant });
}

/**
 * The rules of this digest, by which something was begun; null stands for those of release 0.1.0,
 * which named none. Throws `unknown_rules`.
 */
export function findStoredRuleset(game: string, variant: string, digest: string | null): Ruleset {
  const wanted = digest ?? unnamed[game]?.[variant];
  const current = games
    .find(({ id }) => id === game)
    ?.variants.find((each) => each.id === variant && each.digest === wanted);
  if (current !== undefined) return prepared({ ...current, game, variant });
  const old = unlisted.find(
    (each) => each.digest === wanted && each.game === game && each.variant === variant,
  );
  if (old === undefined) {
    throw new EngineError(
      "unknown_rules",
      `The rules ${wanted ?? "without a digest"} of ${game}, ${variant}, are unknown here.`,
    );
  }
  return prepared(old);
}

function prepared({ digest, game, variant, rules }: Unlisted): Ruleset {
  const ruleset = ready.get(digest) ?? new Ruleset(game, variant, rules, digest);
  ready.set(digest, ruleset);
  return ruleset;
}
