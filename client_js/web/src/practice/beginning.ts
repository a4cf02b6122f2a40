/**
 * How a link makes a deal its game's practice deal. It is apart from practice itself, since whoever
 * practises has begun already.
 */

import type { ApiTypes, Ruleset, Run, TextStorage } from "@samedeal/client";
import type { Ghost } from "./ghost.ts";
import { against } from "./ghostRace.svelte.ts";
import { Practice, type StoredDeal, newSeed, store, storedDeal } from "./practice.svelte.ts";

/** A deal that may become its game's practice deal. */
export interface Beginning {
  readonly game: string;
  readonly deal: StoredDeal;
}

/** The deal of a run, in a race against the run's ghost. */
export function raceOn({ game, variant, seed, rules }: Run, ghost: Ghost): Beginning {
  return { game, deal: { seed, moves: [], rules, variant, race: against(ghost) } };
}

/** A closed deal; `day` if it was a daily. */
export function dealOf(
  { game, variant, seed, rules }: ApiTypes.ClosedDeal,
  day: number | null,
): Beginning {
  return { game, deal: { seed, moves: [], rules, variant, ...(day !== null && { day }) } };
}

/** A new deal by a variant; the one that is practised, if there is one. */
export function dealBy({ game, variant, digest }: Ruleset, storage: TextStorage): Beginning {
  const stored = storedDeal(game, storage);
  if (stored?.rules === digest && stored.race === undefined) return { game, deal: stored };
  return { game, deal: { seed: newSeed(), moves: [], rules: digest, variant } };
}

/** A known deal, by its deck in hexadecimal. */
export function knownBy({ game, variant, digest }: Ruleset, seed: string): Beginning {
  return { game, deal: { seed, moves: [], rules: digest, variant } };
}

/**
 * Make a deal its game's practice deal: whatever a link leads to gets there in this way alone. A
 * game of it that is being played goes on.
 *
 * Returns the moves of a game of another deal that would be lost, or 0 if it has begun. `replaces`
 * says that the player lets go of that one.
 */
export function beginPractice(
  { game, deal }: Beginning,
  storage: TextStorage,
  replaces = false,
): number {
  const stored = storedDeal(game, storage);
  const moves = stored === null ? 0 : movesOf(new Practice(game, storage));
  if (moves > 0 && stored !== null && isSame(stored, deal)) return 0;
  if (moves > 0 && !replaces) return moves;
  store(deal, game, storage);
  return 0;
}

/** How many moves are in a game that is being played; 0 if it is over, or has not begun. */
function movesOf({ begun, end, race, view }: Practice): number {
  return begun && end === null && !race?.stopped ? view.moves : 0;
}

function isSame(one: StoredDeal, other: StoredDeal): boolean {
  const [ghost, rival] = [one, other].map(({ race }) => race?.ghost.attempt);
  return one.seed === other.seed && ghost === rival;
}
