/** The state of an attempt, and how it is read from a snapshot. */

import { type View, pileAt } from "./rules/board.ts";
import { UNSEEN } from "./rules/cards.ts";
import { findStoredRuleset } from "./rules/catalog.ts";
import type { Ruleset } from "./rules/ruleset.ts";
import type { Certificate, Result, Attempt as Snapshot } from "./messages.ts";

/** An attempt from its player's view. */
export interface AttemptState {
  readonly id: string;
  readonly deal: string;
  readonly commitment: string;
  readonly game: string;
  readonly variant: string;
  readonly room: string | null;
  readonly day: number | null;
  /** `c:` and the challenge's id for a challenge; null for a room's round or a daily. */
  readonly occasion: string | null;
  /** The proof about its deal, or null. */
  readonly certificate: Certificate | null;
  readonly ruleset: Ruleset;
  /** The view after the pending moves. */
  readonly view: View;
  /** The number of unacknowledged moves. */
  readonly pending: number;
  /** The number of the last known journal entry. */
  readonly seq: number;
  readonly started: number;
  readonly deadline: number;
  /** The result of the acknowledged moves. */
  readonly result: Result;
  /** The reason for the last refusal, until a later move is accepted. */
  readonly refusal: string | null;
  /**
   * Whether another tab or device plays the attempt. This client then only follows it and takes no
   * moves until `takeOver`.
   */
  readonly elsewhere: boolean;
  /** The permitted help: none, undo, or undo and hints. */
  readonly help: Snapshot["help"];
  /** Whether a move can be undone now. */
  readonly canUndo: boolean;
  /** The move suggested by the hint for this board, or null. */
  readonly hint: string | null;
}

/** Return an attempt's rules; throw `unknown_rules` if this client does not have them. */
export function rulesOf({ game, variant, rules }: Snapshot): Ruleset {
  return findStoredRuleset(game, variant, rules);
}

export function readView(ruleset: Ruleset, { piles, redeals, result }: Snapshot): View {
  return {
    ruleset,
    piles: ruleset.pileNames.map((_, number) => [...(piles[number] ?? [])]),
    redeals,
    moves: result.moves,
  };
}

/** Whether the view has the predicted piles, as far as their cards were known. */
export function matches(predicted: View, view: View): boolean {
  return view.piles.every((pile, number) => {
    const guess = pileAt(predicted, number);
    return (
      guess.length === pile.length &&
      guess.every((card, at) => card === UNSEEN || card === pile[at])
    );
  });
}
