/** Verifying a closed deal: its seed must match the commitment published before play. */

import type { Board } from "./board.ts";
import { findRuleset, findStoredRuleset } from "./catalog.ts";
import { commitment, dealSeed, parseSeed } from "./deal.ts";

/** A deal with a public seed. */
export interface OpenDeal {
  readonly deal: string;
  readonly game: string;
  readonly variant: string;
  /** The commitment published before play. */
  readonly commitment: string;
  /** The seed, or a known deal's deck. */
  readonly seed: string;
  /** The digest of the deal's rules; by default, the current rules. */
  readonly rules?: string;
}

/** The result of verifying a deal. */
export interface Verification {
  /** Whether the computed commitment equals the published one. */
  readonly agrees: boolean;
  /** The commitment computed from the deal's id and seed. */
  readonly commitment: string;
  /** The initial board that the seed deals, with every face known. */
  readonly board: Board;
}

/**
 * Verify a deal; throw `bad_seed`, `bad_deck`, `unknown_game`, `unknown_variant` or
 * `unknown_rules`.
 */
export function verify(deal: OpenDeal): Verification {
  const { game, variant, rules } = deal;
  const seed = parseSeed(deal.seed);
  const computed = commitment(deal.deal, seed);
  const ruleset =
    rules === undefined ? findRuleset(game, variant) : findStoredRuleset(game, variant, rules);
  const board = dealSeed(ruleset, seed);
  return { agrees: computed === deal.commitment, commitment: computed, board };
}
