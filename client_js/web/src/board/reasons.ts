/** Why an attempted move is illegal, derived from the rules, and in words. */

import { type View, pileAt } from "../../../src/rules/board.ts";
import { PACK_SIZE, rankOf, suitOf } from "../../../src/rules/cards.ts";
import { runLength, topOf } from "../../../src/rules/moves.ts";
import { anyCardOf, cardInSentence, text } from "../text/index.ts";
import type { Place } from "./choices.ts";

export type Reason =
  /** No such move exists. */
  | { kind: "never" }
  /** The pile takes no more cards, or none may start it. */
  | { kind: "closed" }
  /** At most this many cards at a time: one, or as many as free columns allow. */
  | { kind: "too-many"; most: number }
  /** The cards do not form a run. */
  | { kind: "no-run" }
  /** The pile takes only a whole run of thirteen. */
  | { kind: "whole-run" }
  /** The pile takes only these ranks and suits, onto the card `onto`; null on an empty pile. */
  | { kind: "wants"; ranks: readonly number[]; suits: string; onto: number | null };

/** Why the cards from `place` on may not move to `target`; the move must be illegal. */
export function whyNot(view: View, place: Place, target: number): Reason {
  const { ruleset } = view;
  const { foundations, tableau } = ruleset;
  const isHome = foundations.includes(target);
  if (!isHome && !tableau.includes(target)) return { kind: "never" };
  if (ruleset.groups[target]?.takes === "run") return { kind: "whole-run" };
  const fits = isHome ? ruleset.homes[target] : ruleset.builds;
  const pile = pileAt(view, place.pile);
  const card = pile[place.index];
  if (fits === undefined || card === undefined) return { kind: "never" };
  const top = topOf(pileAt(view, target));
  const count = pile.length - place.index;
  if (fits(top, card)) {
    if (count === 1) return { kind: "never" };
    if (isHome || !ruleset.movesRuns) return { kind: "too-many", most: 1 };
    if (runLength(pile, ruleset.builds) < count) return { kind: "no-run" };
    const spaces = tableau.filter((at) => pileAt(view, at).length === 0 && at !== target).length;
    const onEmpty = pileAt(view, target).length === 0;
    return { kind: "too-many", most: onEmpty ? 1 : 2 ** spaces };
  }
  // Cards that were laid out before the deal are out of play.
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

/** Why cards may not go where they were dropped. */
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
      return words.noRun;
    case "whole-run":
      return words.wholeRun;
    case "wants": {
      const { onto, ranks, suits } = reason;
      const below = onto === null ? null : cardInSentence(onto);
      return words.wants(anyCardOf(ranks, suits), below);
    }
  }
}
