/**
 * What a deal is played for: how many cards home. Most games are played for all of them. Where there
 * is nowhere to lay a card aside, no known deal can be won, and each is played for its par, the most
 * cards that can come home. And which games are played daily. Pure.
 */

import { type Certificate, type Dailies, type Ruleset, findRuleset, games } from "@samedeal/client";

/** How many cards home to aim at. */
export interface Target {
  /**
   * All cards; par; the most that any run on the deal brought home; or the most that the player
   * brought home in the game.
   */
  readonly kind: "all" | "par" | "best" | "own";
  readonly home: number;
}

/** What is known of a deal before it is played. */
export interface Known {
  readonly certificate?: Pick<Certificate, "winnable" | "par"> | null | undefined;
  /** The most cards home of the runs on the deal that are over. */
  readonly best?: number | null | undefined;
  /** The most cards that the player has brought home in the game. */
  readonly own?: number | null | undefined;
}

/** The pars of uniform deals that cannot be won, as `engine/solver/RESULTS.md` has them. */
export const PARS = { deals: 10_000, low: 27, middle: 34, high: 41 } as const;

/** How much further than what is aimed at a scale goes. */
const ROOM = 1.15;

/** The rules of a game; null if it is newer than this page. */
export function rulesetOf(game: string, variant?: string): Ruleset | null {
  return games.some(({ id }) => id === game) ? findRuleset(game, variant) : null;
}

/**
 * Whether the deals of a game are played for all cards. Without a tableau, none that was solved can
 * be won (`engine/solver/RESULTS.md`).
 */
export function isForAll({ rules }: Pick<Ruleset, "rules">): boolean {
  return rules.tableau !== null;
}

/** Whether the deals of a game are played for par, since nobody can bring all cards home. */
export function isForPar(game: string): boolean {
  const ruleset = rulesetOf(game);
  return ruleset !== null && !isForAll(ruleset);
}

/** What a deal is played for; null if no number is known. */
export function targetOf(ruleset: Ruleset, { certificate, best, own }: Known = {}): Target | null {
  if (certificate?.winnable ?? isForAll(ruleset)) return { kind: "all", home: ruleset.total };
  if (certificate) return { kind: "par", home: certificate.par };
  if (best != null) return { kind: "best", home: best };
  return own == null ? null : { kind: "own", home: own };
}

/**
 * The cards home at the end of a scale on which runs at a game are compared: all cards where these
 * are played for, else somewhat more than par, or than what is usual.
 *
 * @param homes the cards home that have to have a place on it.
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

/** Whether a game is a daily of today; while these are not known, whether it mostly is one. */
export function isDaily(dailies: Pick<Dailies, "games"> | null, id: string): boolean {
  if (dailies !== null) return dailies.games.some(({ game }) => game === id);
  return games.some((game) => game.id === id && game.listing.daily);
}
