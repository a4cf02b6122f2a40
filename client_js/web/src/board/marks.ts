/** What is drawn on a pile's empty place, from the rules alone. */

import { type View, pileAt } from "../../../src/rules/board.ts";
import { SUITS } from "../../../src/rules/cards.ts";

/** A rank and suits that begin there, or the sign that tapping turns the waste over. */
export interface Mark {
  readonly rank: string;
  readonly suits: string;
  readonly turns: boolean;
}

const NONE: Mark = { rank: "", suits: "", turns: false };

export function markOf(view: View, pile: number): Mark {
  const { ruleset } = view;
  const { rules, waste } = ruleset;
  if (pile === ruleset.stock) {
    const left = (rules.waste?.redeals ?? 0) - view.redeals;
    const turns = waste !== null && left > 0 && pileAt(view, waste).length > 0;
    return { ...NONE, turns };
  }
  if (ruleset.tableau.includes(pile)) return { ...NONE, rank: rankText(rules.tableau?.empty) };
  const group = ruleset.groups[pile];
  if (group === undefined) return NONE;
  const suits = group.suits === SUITS ? "" : group.suits;
  // A run is written as what it goes from and to: King to Ace.
  const rank = rankText(group.first) + (group.takes === "run" ? "–A" : "");
  return { ...NONE, rank, suits };
}

/** The rank as it is printed on a card; nothing where any card may begin. */
function rankText(rank: string | undefined): string {
  if (rank === undefined || rank === "any" || rank === "none") return "";
  return rank === "T" ? "10" : rank;
}
