/**
 * Starting practice deals from links. Separate from practice itself, which does not need this code.
 */

import type { ApiTypes, Ruleset, Run, TextStorage } from "@samedeal/client";
import type { Ghost } from "./ghost.ts";
import { against } from "./ghostRace.svelte.ts";
import { Practice } from "./practice.svelte.ts";
import { type Beat, type StoredDeal, newSeed, store, storedDeal } from "./stored.ts";

/** A deal that may become its game's practice deal. */
export interface Beginning {
  readonly game: string;
  readonly deal: StoredDeal;
}

export function raceOn({ game, variant, seed, rules }: Run, ghost: Ghost): Beginning {
  return { game, deal: { seed, moves: [], rules, variant, race: against(ghost) } };
}

/** Return a closed deal; `day` if it was a daily. */
export function dealOf(
  { game, variant, seed, rules }: ApiTypes.ClosedDeal,
  day: number | null,
): Beginning {
  return { game, deal: { seed, moves: [], rules, variant, ...(day !== null && { day }) } };
}

/** Return a new deal of a variant, or the current practice deal if it has that variant. */
export function dealBy({ game, variant, digest }: Ruleset, storage: TextStorage): Beginning {
  const stored = storedDeal(game, storage);
  if (stored?.rules === digest && stored.race === undefined) return { game, deal: stored };
  return { game, deal: { seed: newSeed(), moves: [], rules: digest, variant } };
}

/** Return a known deal from its deck in hexadecimal, with a friend's win to beat, if any. */
export function knownBy(
  { game, variant, digest }: Ruleset,
  seed: string,
  beat: Beat | null = null,
): Beginning {
  return { game, deal: { seed, moves: [], rules: digest, variant, ...(beat && { beat }) } };
}

/**
 * Make a deal its game's practice deal. All links start deals through this function. A game in
 * progress on the same deal continues.
 *
 * Returns the number of moves in another deal's game that would be lost, or 0 once started.
 * `replaces` confirms discarding that game.
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
  // The replaced game can be brought back until a move is played.
  store({ ...deal, ...(moves > 0 && stored && { previous: stored }) }, game, storage);
  return 0;
}

/** Return the number of moves in a game in progress; 0 if it is over or not started. */
function movesOf({ begun, end, race, view }: Practice): number {
  return begun && end === null && !race?.stopped ? view.moves : 0;
}

function isSame(one: StoredDeal, other: StoredDeal): boolean {
  const [ghost, rival] = [one, other].map(({ race }) => race?.ghost.attempt);
  return one.seed === other.seed && ghost === rival;
}
