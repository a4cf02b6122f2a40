/** The view before a round starts: the number of cards of each pile, all face down. */

import type { View } from "../../../src/rules/board.ts";
import { UNSEEN } from "../../../src/rules/cards.ts";
import { layOut } from "../../../src/rules/deal.ts";
import type { Ruleset } from "../../../src/rules/ruleset.ts";

export function openingView(ruleset: Ruleset): View {
  const board = layOut(ruleset, ruleset.pack);
  const known = ruleset.laidOut();
  const piles = board.piles.map((cards, pile) =>
    known.has(pile) ? cards : cards.map(() => UNSEEN),
  );
  return { ...board, piles };
}
