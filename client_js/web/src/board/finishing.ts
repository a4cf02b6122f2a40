/** Moves home that need no decision: those that finish a game, and safe ones. */

import { type Layout, type View, pileAt } from "../../../src/rules/board.ts";
import { type Card, isDown } from "../../../src/rules/cards.ts";
import { isPair, isWon, legalMoves, topOf } from "../../../src/rules/moves.ts";
import { apply } from "../../../src/rules/play.ts";
import { EMPTY, ENDLESS, type Move, type Ruleset } from "../../../src/rules/ruleset.ts";
import { changesDeals } from "../../../src/rules/waste.ts";

/**
 * Whether only moves home, with dealing from the stock between them, are left to win: all cards
 * outside the stock are face up, and their order cannot prevent it.
 */
export function canFinish(view: View): boolean {
  const { tableau, reserve } = view.ruleset;
  const covered = [...tableau, ...reserve].some((pile) => pileAt(view, pile).some(isDown));
  return !covered && !isWon(view) && (winsAlone(view) || winsByDealing(view));
}

/**
 * Return the next move of a game that can be finished; null while the last dealt card is unknown.
 */
export function finishingMove(view: View): Move | null {
  const { stock, waste } = view.ruleset;
  const home = homeMove(view);
  if (home) return home;
  if (waste === null || isDown(pileAt(view, waste).at(-1) ?? 0)) return null;
  const deals = ({ source, target }: Move) =>
    (source === stock && target === waste) || (source === waste && target === stock);
  return legalMoves(view).find(deals) ?? null;
}

function homeMove(layout: Layout): Move | undefined {
  const { ruleset } = layout;
  return legalMoves(layout).find(
    (move) => ruleset.foundations.includes(move.target) || isPair(ruleset, move),
  );
}

/** Whether moves home alone win. */
function winsAlone(view: View): boolean {
  let layout: Layout = view;
  for (;;) {
    const home = homeMove(layout);
    if (home === undefined) return isWon(layout);
    layout = apply(layout, home);
  }
}

/** Whether moves home win if each card of stock and waste can be dealt at any time. */
function winsByDealing(view: View): boolean {
  const { ruleset, piles } = view;
  const { stock, waste, foundations, homes, rules } = ruleset;
  const cycles = ruleset.redeals === ENDLESS && rules.stock.turns === 1;
  if (!cycles || waste === null || !rules.waste?.plays.includes("foundation")) return false;
  const columns = piles.flatMap((pile, number) =>
    [stock, waste, ...foundations].includes(number) ? [] : [[...pile]],
  );
  const tops = foundations.map((pile) => topOf(pileAt(view, pile)));
  const loose = without(ruleset.pack, [...columns, ...foundations.map((at) => pileAt(view, at))]);
  const takes = (card: Card | undefined): boolean => {
    const at = tops.findIndex((top, nth) => card !== undefined && homes[nth]?.(top, card));
    if (at < 0 || card === undefined) return false;
    tops[at] = card;
    return true;
  };
  let left = columns.flat().length + loose.length;
  for (let before = left + 1; left < before;) {
    before = left;
    for (const column of columns) {
      for (; takes(column.at(-1)); left--) column.pop();
    }
    const stays = loose.filter((card) => !takes(card));
    left -= loose.length - stays.length;
    loose.splice(0, loose.length, ...stays);
  }
  return left === 0;
}

/** Return the cards of a pack that are in none of these piles. */
function without(pack: readonly Card[], piles: readonly (readonly Card[])[]): Card[] {
  const left = [...pack];
  for (const card of piles.flat()) {
    const at = left.indexOf(card);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

/**
 * Return a move of a card home that cannot be needed any more: each card that could be placed on
 * it, and is not home, can itself go home safely. The move also fills no pile, and does not change
 * which cards come up later. Null if there is none, or if the game's foundations leave a choice.
 */
export function safeMove(view: View): Move | null {
  const { ruleset } = view;
  const { foundations, tableau, rules } = ruleset;
  const fills = (source: number) =>
    tableau.includes(source) && pileAt(view, source).length === 1 && rules.tableau?.fill.length;
  if (!isSettled(ruleset)) return null;
  const tops = foundations.map((pile) => topOf(pileAt(view, pile)));
  const home = foundations.map((pile) => pileAt(view, pile));
  const away = [...new Set(without(ruleset.pack, home))];
  const fits = (card: Card) =>
    ruleset.groups.some(
      ({ first }, nth) =>
        (tops[nth] !== EMPTY || first !== "same") && ruleset.homes[nth]?.(tops[nth] ?? EMPTY, card),
    );
  const isSafe = (card: Card, depth = 0): boolean =>
    depth < 13 &&
    fits(card) &&
    away.every(
      (other) => tableau.length === 0 || !ruleset.builds(card, other) || isSafe(other, depth + 1),
    );
  return (
    legalMoves(view).find(({ source, target, count }) => {
      const card = pileAt(view, source).at(-1);
      const goes = foundations.includes(target) && !foundations.includes(source) && count === 1;
      if (!goes || fills(source) || changesDeals(view, source)) return false;
      return card !== undefined && !isDown(card) && isSafe(card);
    }) ?? null
  );
}

/** Whether each card has one place on the foundations, all of which build in one direction. */
function isSettled({ groups }: Ruleset): boolean {
  const [first] = groups;
  return groups.every(
    ({ order, takes }) => takes === "card" && order !== "either" && order === first?.order,
  );
}
