/** Why cards may not go where they were dropped, from the rules alone; `text` has the words. */

import { type View, pileAt } from "../../../src/rules/board.ts";
import { PACK_SIZE, rankOf, suitOf } from "../../../src/rules/cards.ts";
import { runLength, topOf } from "../../../src/rules/moves.ts";
import type { Place } from "./choices.ts";

export type Reason =
  /** Cards never go there from here. */
  | { kind: "never" }
  /** No card goes there any more, or none may begin there. */
  | { kind: "closed" }
  /** One card at a time, or so many as free columns allow. */
  | { kind: "too-many"; most: number }
  /** The cards are no run. */
  | { kind: "no-run" }
  /** Only a whole run of thirteen goes there. */
  | { kind: "whole-run" }
  /** Only cards of these ranks and suits go there; `onto` is null on an empty pile. */
  | { kind: "wants"; ranks: readonly number[]; suits: string; onto: number | null };

/** Why the cards from `place` on may not go to `target`; asked only when they may not. */
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
  // Cards that were laid out before the deal are not to be had any more.
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
