/** Foundations by suit, and the order in which cards come home to them. */

import type { Board } from "../../rules/board.ts";
import { PACK_SIZE, RANKS, SUITS, rankOf } from "../../rules/cards.ts";
import type { Ruleset } from "../../rules/ruleset.ts";

/** Whether each foundation takes the cards of one suit, all in the same order. */
export function isBySuit({ rules, foundations }: Ruleset): boolean {
  const groups = rules.foundations;
  const firsts = new Set(groups.map(({ first }) => first));
  const orders = groups.map(({ order, wrap, last }) => [order, wrap, last].join());
  const [group] = groups;
  const suits = groups.filter(({ first }) => first !== "same").flatMap((each) => [...each.suits]);
  const same = firsts.has("same");
  return (
    groups.every(({ takes, match }) => takes === "card" && match === "suit") &&
    new Set(orders).size === 1 &&
    (group?.order === "up" || group?.order === "down") &&
    foundations.length === SUITS.length &&
    (same ? group.setup === "dealt" : firsts.size === 1 && !firsts.has("any")) &&
    suits.sort().join("") === [...SUITS].sort().join("") &&
    (same || groups.every((each) => each.suits.length === each.piles))
  );
}

/**
 * Return the first rank of foundations that depends on the deal: the first foundation's first card.
 * Null if the rules have no such foundation.
 */
export function baseOf({ ruleset, piles }: Board): number | null {
  if (ruleset.groups.every(({ first }) => first !== "same")) return null;
  return rankOf(piles[0]?.[0] ?? 0);
}

/** Return, for each card, how many of its suit go home before it; 0 if that is not fixed. */
export function turnsHome(ruleset: Ruleset, base: number | null): readonly number[] {
  if (!isBySuit(ruleset)) return Array<number>(PACK_SIZE).fill(0);
  if (base === null) return ruleset.turns;
  const step = ruleset.groups[0]?.order === "up" ? 1 : -1;
  const ranks = RANKS.length;
  return Array.from(ruleset.turns, (_, card) => ((card - base) * step + PACK_SIZE) % ranks);
}
