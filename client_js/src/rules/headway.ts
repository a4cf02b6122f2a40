/**
 * Headway: a race's second measure, besides cards home, as a game's `listing.headway` says. It
 * changes from the first moves on, also in games that bring no card home for minutes.
 */

import { type Layout, cardsHome, pileAt } from "./board.ts";
import { isDown } from "./cards.ts";
import { dealtDown } from "./peaks.ts";
import type { Ruleset } from "./ruleset.ts";
import type { Headway } from "./schema.ts";

/** Return a player's headway, from 0 to `mostHeadway`; the server counts the same. */
export function headway(seen: Layout, counted: Headway): number {
  const { ruleset } = seen;
  const { builds, reserve, tableau } = ruleset;
  switch (counted) {
    case "turned-up": {
      const covered = [...tableau, ...reserve].flatMap((pile) => pileAt(seen, pile));
      return mostHeadway(ruleset, counted) - covered.filter(isDown).length;
    }
    case "in-order": {
      const ordered = tableau.flatMap((pile) => {
        const open = pileAt(seen, pile).filter((card) => !isDown(card));
        return open.slice(1).filter((card, at) => builds(open[at] ?? card, card));
      });
      return ordered.length + cardsHome(seen) - homeAtStart(ruleset);
    }
    case "none":
      return 0;
  }
}

/** Return the largest headway in a game, which a won game has if it is not 0. */
export function mostHeadway(ruleset: Ruleset, counted: Headway): number {
  const { rules, total } = ruleset;
  if (counted === "in-order") return total - homeAtStart(ruleset);
  if (counted === "none") return 0;
  return [rules.tableau, rules.reserve]
    .flatMap((part) => (part === null ? [] : dealtDown(part)))
    .reduce((sum, each) => sum + each, 0);
}

function homeAtStart({ rules }: Ruleset): number {
  return rules.foundations
    .map(({ setup, piles }) => (setup === "empty" ? 0 : piles))
    .reduce((sum, each) => sum + each, 0);
}
