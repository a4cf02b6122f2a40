/** The catalogue of games: the rulesets that the engine exported, compiled on first use. */

import { changedRules, digestOf, isChanges } from "./changes.ts";
import { EngineError } from "./errors.ts";
import { Ruleset } from "./ruleset.ts";
import rulesets from "./rulesets.json" with { type: "json" };
import { type Game, type Rules, STANDARD, type Unlisted } from "./schema.ts";

// The engine's own reader has checked the file; its JSON types are wider than the words in it.

/** All games, in the order in which they are offered. */
// The engine has validated the file; TypeScript infers `string` where `Game` has literal types.
export const games = rulesets.games as readonly unknown[] as readonly Game[];

/** Superseded rules, by which no new deal is played, only those that began with them. */
const unlisted = rulesets.unlisted as readonly unknown[] as readonly Unlisted[];

/** The compiled rulesets. Their tables take time to compute, and most are never played. */
const ready = new Map<string, Ruleset>();

/**
 * The rules by which new deals of a game are played; throws `unknown_game` and `unknown_variant`.
 * A variant may be changes to the standard rules, of which the form alone is checked: throws
 * `bad_ruleset`.
 */
export function findRuleset(game: string, variant: string = STANDARD): Ruleset {
  const known = games.find(({ id }) => id === game);
  if (known === undefined) {
    const ids = games.map(({ id }) => id).join(", ");
    throw new EngineError("unknown_game", `There is no game '${game}'; known are ${ids}.`);
  }
  const [standard] = known.variants;
  if (isChanges(variant) && standard !== undefined) return changed(game, variant, standard.rules);
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

/** The rules of this digest, by which something was begun; throws `unknown_rules`. */
export function findStoredRuleset(game: string, variant: string, digest: string): Ruleset {
  if (isChanges(variant)) {
    const made = storedChanged(game, variant, digest);
    if (made !== undefined) return made;
  }
  const current = games
    .find(({ id }) => id === game)
    ?.variants.find((each) => each.id === variant && each.digest === digest);
  if (current !== undefined) return prepared({ ...current, game, variant });
  const old = unlisted.find(
    (each) => each.digest === digest && each.game === game && each.variant === variant,
  );
  if (old === undefined) {
    throw new EngineError(
      "unknown_rules",
      `The rules ${digest} of ${game}, ${variant}, are unknown here.`,
    );
  }
  return prepared(old);
}

/** The rules of this digest that a game's standard rules lead to by changes, of any release. */
function storedChanged(game: string, changes: string, digest: string): Ruleset | undefined {
  const known = ready.get(digest);
  if (known?.game === game && known.variant === changes) return known;
  const standard = games.find(({ id }) => id === game)?.variants[0]?.rules;
  const old = unlisted.filter((each) => each.game === game && each.variant === STANDARD);
  for (const base of [standard, ...old.map(({ rules }) => rules)]) {
    try {
      const found = base && changed(game, changes, base);
      if (found?.digest === digest) return found;
    } catch (error) {
      // They are no changes to the rules of this release.
      if (!(error instanceof EngineError)) throw error;
    }
  }
  return undefined;
}

/** A game's rules with changes, of which the form alone is checked; throws `bad_ruleset`. */
function changed(game: string, changes: string, base: Rules): Ruleset {
  const rules = changedRules(base, changes);
  return prepared({ digest: digestOf(game, changes, rules), game, variant: changes, rules });
}

function prepared({ digest, game, variant, rules }: Unlisted): Ruleset {
  const ruleset = ready.get(digest) ?? new Ruleset(game, variant, rules, digest);
  ready.set(digest, ruleset);
  return ruleset;
}
