/** Dead ends: boards where no line of moves brings another card home. */

import { type Layout, cardsHome, pileAt } from "./board.ts";
import { isDown } from "./cards.ts";
import { legalMoves } from "./moves.ts";
import { apply } from "./play.ts";
import { ENDLESS } from "./ruleset.ts";

/** The most layouts to examine, in a few milliseconds. */
const MOST = 300;

/**
 * Whether no line of moves brings another card home or turns up an unseen one. Unseen cards must be
 * face down, as in a view. False also if that many layouts do not decide it.
 */
export function isDeadEnd(layout: Layout): boolean {
  const home = cardsHome(layout);
  const found = new Map([[keyOf(layout), layout]]);
  // A map's iteration includes the entries added meanwhile.
  for (const at of found.values()) {
    for (const move of legalMoves(at)) {
      const after = apply(at, move);
      if (cardsHome(after) > home || turnsUp(after)) return false;
      if (found.size > MOST) return false;
      found.set(keyOf(after), after);
    }
  }
  return true;
}

/** Whether a card whose face is unknown lies where cards are face up. */
function turnsUp(layout: Layout): boolean {
  const { tableau, reserve, waste, stock, rules } = layout.ruleset;
  const open = [...tableau, ...reserve];
  if (waste !== null) open.push(waste);
  if (rules.stock.top === "up") open.push(stock);
  return open.some((pile) => isDown(pileAt(layout, pile).at(-1) ?? 0));
}

/** Return a text that layouts share if they allow the same moves. */
function keyOf({ ruleset, piles, redeals }: Layout): string {
  const { tableau, stock, waste, rules } = ruleset;
  const columns = piles.slice(tableau[0], (tableau.at(-1) ?? -1) + 1).map(String);
  const dealt = [stock, ...(waste === null ? [] : [waste])].some((pile) => piles[pile]?.length);
  // Only rows, which are dealt from left to right, depend on the order of the columns.
  if (!dealt || !rules.stock.plays.includes("row")) columns.sort();
  const others = piles.filter((_, pile) => !tableau.includes(pile));
  return [ruleset.redeals === ENDLESS ? 0 : redeals, ...columns, ...others.map(String)].join("|");
}
