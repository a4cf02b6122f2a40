/**
 * Targets: the number of cards home to aim for, and which games are dailies. Most games aim for all
 * cards. In games without a tableau, no solved deal can be won, and the target is par: the most
 * cards that can come home. Pure functions.
 */

import { type Certificate, type Dailies, type Ruleset, findRuleset, games } from "@samedeal/client";

/** A number of cards home to aim for. */
export interface Target {
  /** All cards; par; the best run on the deal; or the player's best in the game. */
  readonly kind: "all" | "par" | "best" | "own";
  readonly home: number;
}

/** The facts about a deal that are known before play. */
export interface Known {
  readonly certificate?: Pick<Certificate, "winnable" | "par"> | null | undefined;
  /** The most cards home in finished runs on the deal. */
  readonly best?: number | null | undefined;
  /** The player's best number of cards home in the game. */
  readonly own?: number | null | undefined;
}

/** The pars of uniform deals that cannot be won, from `engine/solver/RESULTS.md`. */
export const PARS = { deals: 10_000, low: 27, middle: 34, high: 41 } as const;

/** The length of a scale relative to its target. */
const ROOM = 1.15;

/** Return the rules of a game; null if it is newer than this page. */
export function rulesetOf(game: string, variant?: string): Ruleset | null {
  return games.some(({ id }) => id === game) ? findRuleset(game, variant) : null;
}

/**
 * Whether a game's target is all cards. Without a tableau, no solved deal can be won
 * (`engine/solver/RESULTS.md`).
 */
export function isForAll({ rules }: Pick<Ruleset, "rules">): boolean {
  return rules.tableau !== null;
}

/** Whether a game's target is par, because not all cards can come home. */
export function isForPar(game: string): boolean {
  const ruleset = rulesetOf(game);
  return ruleset !== null && !isForAll(ruleset);
}

/** Return a deal's target; null if no number is known. */
export function targetOf(ruleset: Ruleset, { certificate, best, own }: Known = {}): Target | null {
  if (certificate?.winnable ?? isForAll(ruleset)) return { kind: "all", home: ruleset.total };
  if (certificate) return { kind: "par", home: certificate.par };
  if (best != null) return { kind: "best", home: best };
  return own == null ? null : { kind: "own", home: own };
}

/**
 * Return the end of a scale for comparing runs of a game: all cards if that is the target,
 * otherwise slightly more than par or the usual result.
 *
 * @param homes the numbers of cards home that the scale must include.
 */
export function scaleOf(
  ruleset: Ruleset,
  homes: readonly number[],
  target: Target | null = targetOf(ruleset),
): number {
  if (target?.kind === "all") return target.home;
  const aim = target?.kind === "par" ? target.home : Math.max(PARS.middle, target?.home ?? 0);
  return Math.min(ruleset.total, Math.max(Math.ceil(ROOM * aim), ...homes));
}

/** Whether a game is one of today's dailies; while they are unknown, whether it usually is. */
export function isDaily(dailies: Pick<Dailies, "games"> | null, id: string): boolean {
  if (dailies !== null) return dailies.games.some(({ game }) => game === id);
  return games.some((game) => game.id === id && game.listing.daily !== null);
}
