/** The catalogue of games: the engine's exported rulesets, compiled on first use. */

import { changedRules, digestOf, isChanges } from "./changes.ts";
import { EngineError } from "./errors.ts";
import { Ruleset } from "./ruleset.ts";
import rulesets from "./rulesets.json" with { type: "json" };
import { type Game, type Rules, STANDARD, type Unlisted } from "./schema.ts";

/** All games, in display order. */
// The engine has validated the file; TypeScript infers `string` where `Game` has literal types.
export const games = rulesets.games as readonly unknown[] as readonly Game[];

/** Superseded rules: no new deal uses them, but earlier ones still do. */
const unlisted = rulesets.unlisted as readonly unknown[] as readonly Unlisted[];

/** The compiled rulesets. Compiling takes time, and most are never played. */
const ready = new Map<string, Ruleset>();

/**
 * Return the current rules of a game; throw `unknown_game` or `unknown_variant`. A variant may be a
 * text of changes to the standard rules. Only the form of changes is checked: throw `bad_ruleset`.
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

/** Return the rules with this digest, under which an attempt started; throw `unknown_rules`. */
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

/** Apply changes to every release of a game's standard rules, and return those with this digest. */
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
      // The changes do not apply to this release's rules.
      if (!(error instanceof EngineError)) throw error;
    }
  }
  return undefined;
}

/** Return a game's rules with changes, whose form alone is checked; throw `bad_ruleset`. */
function changed(game: string, changes: string, base: Rules): Ruleset {
  const rules = changedRules(base, changes);
  return prepared({ digest: digestOf(game, changes, rules), game, variant: changes, rules });
}

function prepared({ digest, game, variant, rules }: Unlisted): Ruleset {
  const ruleset = ready.get(digest) ?? new Ruleset(game, variant, rules, digest);
  ready.set(digest, ruleset);
  return ruleset;
}
