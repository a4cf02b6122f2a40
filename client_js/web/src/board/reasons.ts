/** Why an attempted move is illegal, derived from the rules; the words are loaded on demand. */

import { type View, pileAt } from "../../../src/rules/board.ts";
import { type Card, PACK_SIZE, RANKS, rankOf, suitOf } from "../../../src/rules/cards.ts";
import {
  isCovered,
  isLegal,
  longestRun,
  mayStart,
  together,
  topOf,
} from "../../../src/rules/moves.ts";
import { EMPTY, ROW } from "../../../src/rules/ruleset.ts";
import { entry, text } from "../text/index.ts";
import type { Place } from "./choices.ts";

/** The sum of the ranks of two partners, counted from 0. */
const PARTNERS = RANKS.length - 2;

export type Reason =
  /** No such move exists. */
  | { kind: "never" }
  /** The pile takes no more cards, or none may start it. */
  | { kind: "closed" }
  /** At most this many cards move together: one, or the number that the free places permit. */
  | { kind: "too-many"; most: number }
  /** The cards do not form a run; `ofSuit`: runs must be of one suit. */
  | { kind: "no-run"; ofSuit: boolean }
  /** A column moves one card or all of them. */
  | { kind: "whole-pile" }
  /** The pile takes only a whole run of thirteen; `itself`: the run goes there automatically. */
  | { kind: "whole-run"; itself: boolean }
  | { kind: "cell-full" }
  /** The move is legal, but it fills the last cell and cannot be undone. */
  | { kind: "last-cell" }
  | { kind: "row-needs-all" }
  /** Other cards lie on the card, or on the one it was dropped on. */
  | { kind: "covered" }
  /** The card goes home alone, or only together with another. */
  | { kind: "king-alone" | "partner-first" }
  /** The card `onto` goes home only with a card of this rank. */
  | { kind: "wants-partner"; rank: number; onto: Card }
  /** The pile takes only these ranks and suits, onto the card `onto`; null on an empty pile. */
  | { kind: "wants"; ranks: readonly number[]; suits: string; onto: number | null };

/**
 * Return why the cards from `place` on cannot move to `target`, or why a tap must be repeated to move
 * them there. Otherwise the move must be illegal.
 */
export function whyNot(view: View, place: Place, target: number): Reason {
  if (target === ROW) return { kind: "row-needs-all" };
  const { ruleset } = view;
  const { foundations, tableau, cells, moves, rules } = ruleset;
  const pile = pileAt(view, place.pile);
  const card = pile[place.index];
  const count = pile.length - place.index;
  const top = topOf(pileAt(view, target));
  if (cells.includes(target)) {
    if (top !== EMPTY) return { kind: "cell-full" };
    if (count > 1) return { kind: "too-many", most: 1 };
    const move = { source: place.pile, target, count };
    return { kind: isLegal(view, move) ? "last-cell" : "never" };
  }
  if (isCovered(view, place.pile) || isCovered(view, target)) return { kind: "covered" };
  const isHome = foundations.includes(target);
  if (ruleset.pairs && card !== undefined) return whyNoPair(card, isHome, top);
  if (!isHome && !tableau.includes(target)) return { kind: "never" };
  const group = ruleset.groups[target];
  if (group?.takes === "run") return { kind: "whole-run", itself: group.automatic };
  const takes = isHome ? ruleset.homes[target] : ruleset.builds;
  if (takes === undefined || card === undefined) return { kind: "never" };
  const fits = (onto: number, each: number) =>
    takes(onto, each) && (onto !== EMPTY || !isHome || mayStart(view, target, each));
  if (fits(top, card)) {
    if (count === 1) return { kind: "never" };
    if (isHome || !ruleset.movesRuns) return { kind: "too-many", most: 1 };
    if (together(view, pile) < count)
      return { kind: "no-run", ofSuit: rules.tableau?.run_match === "suit" };
    if (moves === "whole-run") return { kind: "whole-pile" };
    return { kind: "too-many", most: longestRun(view, top === EMPTY) };
  }
  // Cards laid out before the deal are out of play.
  const gone = new Set(ruleset.laidOut().values());
  const wanted = Array.from({ length: PACK_SIZE }, (_, each) => each).filter(
    (each) => fits(top, each) && !gone.has(each),
  );
  if (wanted.length === 0) return { kind: "closed" };
  return {
    kind: "wants",
    ranks: [...new Set(wanted.map(rankOf))],
    suits: [...new Set(wanted.map(suitOf))].join(""),
    onto: top < PACK_SIZE ? top : null,
  };
}

/** Return why a card does not go home alone, or with the card that it was dropped on. */
function whyNoPair(card: Card, alone: boolean, onto: Card): Reason {
  if (alone) return { kind: "partner-first" };
  if (onto >= PACK_SIZE) return { kind: "never" };
  // The Kings are the cards without a partner.
  const partner = PARTNERS - rankOf(onto);
  if (partner < 0 || rankOf(card) > PARTNERS) return { kind: "king-alone" };
  return { kind: "wants-partner", rank: partner, onto };
}

/** Return why cards cannot go where they were dropped, in words. */
export function reasonWords(reason: Reason): string {
  const words = text.reasons;
  switch (reason.kind) {
    case "never":
      return words.never;
    case "closed":
      return words.closed;
    case "too-many":
      return words.tooMany(reason.most);
    case "no-run":
      return reason.ofSuit ? words.noRunOfSuit : words.noRun;
    case "whole-pile":
      return words.wholePile;
    case "whole-run":
      return reason.itself ? words.byItself : words.wholeRun;
    case "cell-full":
      return words.cellFull;
    case "last-cell":
      return words.lastCell;
    case "row-needs-all":
      return words.rowNeedsAll;
    case "covered":
      return words.covered;
    case "king-alone":
      return words.kingAlone;
    case "partner-first":
      return words.partnerFirst;
    case "wants-partner":
      return words.wantsPartner(words.any[reason.rank] ?? "", cardInSentence(reason.onto));
    case "wants": {
      const { onto, ranks, suits } = reason;
      const below = onto === null ? null : cardInSentence(onto);
      return words.wants(anyCardOf(ranks, suits), below);
    }
  }
}

function cardInSentence(card: Card): string {
  const { ranksInSentence, inSentence } = text.reasons;
  const rank = ranksInSentence[rankOf(card)] ?? "";
  return inSentence(rank, entry(text.cards.suits, suitOf(card)) ?? "");
}

/** Return cards such as "a red six or a red eight"; of all suits if there are four. */
export function anyCardOf(ranks: readonly number[], suits: string): string {
  const { any, anyBlack, anyOfSuit, anyRed } = text.reasons;
  const all = suits === "HD" ? anyRed : suits === "SC" ? anyBlack : any;
  const one = suits.length === 1 ? entry(text.cards.suits, suits) : undefined;
  const names = ranks.map((rank) =>
    one === undefined ? (all[rank] ?? "") : (anyOfSuit[rank]?.(one) ?? ""),
  );
  return new Intl.ListFormat(text.locale, { type: "disjunction" }).format(names);
}
