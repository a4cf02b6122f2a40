/** Verifying a closed deal: does its seed match the commitment published before play? */

import type { Board } from "./board.ts";
import { findRuleset, findStoredRuleset } from "./catalog.ts";
import { commitment, dealSeed, parseSeed } from "./deal.ts";

/** A deal whose seed is public. */
export interface OpenDeal {
  readonly deal: string;
  readonly game: string;
  readonly variant: string;
  /** The commitment published before play. */
  readonly commitment: string;
  /** The seed; of a known deal, its deck. */
  readonly seed: string;
  /** The digest of the rules that it is played by; those of new deals if it is left out. */
  readonly rules?: string;
}

/** The result of verifying a deal. */
export interface Verification {
  /** Whether the computed commitment equals the published one. */
  readonly agrees: boolean;
  /** The commitment computed from the deal's id and seed. */
  readonly commitment: string;
  /** The initial board that the seed deals, every face known. */
  readonly board: Board;
}

/**
 * Compare commitments; throws `bad_seed`, `bad_deck`, `unknown_game`, `unknown_variant` and
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
