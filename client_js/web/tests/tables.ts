/** Views for tests, from the notation of piles. */

import type { View } from "../../src/rules/board.ts";
import { findRuleset } from "../../src/rules/catalog.ts";
import { parseSeen } from "../../src/rules/notation.ts";

/** Return the view of a game with these piles, by name; the others are empty. */
export function viewOf(game: string, piles: Readonly<Record<string, string>>, moves = 0): View {
  const ruleset = findRuleset(game);
  return {
    ruleset,
    piles: ruleset.pileNames.map((name) => parseSeen(piles[name] ?? "")),
    redeals: 0,
    moves,
  };
}

export function numberOf(view: View, name: string): number {
  return view.ruleset.pileNames.indexOf(name);
}
