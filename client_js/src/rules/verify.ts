/** Checking a deal after it is closed: did the server deal what it had promised? */

import type { Board } from "./board.ts";
import { findRuleset, findStoredRuleset } from "./catalog.ts";
import { commitment, dealSeed, parseSeed } from "./deal.ts";

/** A deal whose seed is public. */
export interface OpenDeal {
  readonly deal: string;
  readonly game: string;
  readonly variant: string;
  /** What the player was told before the first card was seen. */
  readonly commitment: string;
  readonly seed: string;
  /**
   * The digest of the rules that it is played by, null for those of release 0.1.0; those by which
   * new deals are played if it is left out.
   */
  readonly rules?: string | null;
}

/** What a deal's seed shows. */
export interface Verification {
  /** Whether the seed is the one that was promised. */
  readonly agrees: boolean;
  /** The commitment that belongs to the seed. */
  readonly commitment: string;
  /** The board that the seed deals, every face known. */
  readonly board: Board;
}

/**
 * Work a deal out from its seed; throws `bad_seed`, `unknown_game`, `unknown_variant` and
 * `unknown_rules`.
 */
export function verify(deal: OpenDeal): Verification {
  const seed = parseSeed(deal.seed);
  const worked = commitment(deal.deal, seed);
  const { game, variant, rules } = deal;
  const ruleset =
    rules === undefined ? findRuleset(game, variant) : findStoredRuleset(game, variant, rules);
  const board = dealSeed(ruleset, seed);
  return { agrees: worked === deal.commitment, commitment: worked, board };
}
