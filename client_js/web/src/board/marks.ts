/** The marks on the empty places of piles, derived from the rules. */

import { type View, pileAt } from "../../../src/rules/board.ts";
import { RANKS, SUITS, rankOf } from "../../../src/rules/cards.ts";

/** The rank and suits that a pile starts with; `turns`: the sign for turning the waste over. */
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
    const left = ruleset.redeals - view.redeals;
    const turns = waste !== null && left > 0 && pileAt(view, waste).length > 0;
    return { ...NONE, turns };
  }
  if (ruleset.tableau.includes(pile)) return { ...NONE, rank: rankText(rules.tableau?.empty) };
  const group = ruleset.groups[pile];
  if (group === undefined) return NONE;
  // It starts with the first foundation's base, whichever card that was.
  const base = group.first === "same" ? pileAt(view, 0)[0] : undefined;
  if (base !== undefined) return { ...NONE, rank: rankText(RANKS.charAt(rankOf(base))) };
  const suits = group.suits === SUITS ? "" : group.suits;
  // A run is marked by its ends: King to Ace.
  const rank = rankText(group.first) + (group.takes === "run" ? "–A" : "");
  return { ...NONE, rank, suits };
}

/** Return the rank as printed on a card; empty where any card may start. */
function rankText(rank: string | undefined): string {
  if (rank === undefined || !RANKS.includes(rank)) return "";
  return rank === "T" ? "10" : rank;
}
