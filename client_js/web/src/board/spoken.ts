/** Screen reader announcements: moved and turned-up cards. */

import { type View, cardsHome, pileAt } from "../../../src/rules/board.ts";
import { type Card, UNSEEN, isDown } from "../../../src/rules/cards.ts";
import { apply } from "../../../src/rules/play.ts";
import { type Move, ROW } from "../../../src/rules/ruleset.ts";
import { cardWords, pileWords, text } from "../text/index.ts";

/** Return the announcement of a move about to be played on `view`. */
export function movesSaid(view: View, move: Move): string {
  const moved = moveSaid(view, move);
  // A complete run goes home automatically.
  const { automatic, foundations } = view.ruleset;
  const runs = automatic && !foundations.includes(move.target);
  if (!runs || cardsHome(apply(view, move)) === cardsHome(view)) return moved;
  return `${moved} ${text.spoken.runHome}`.trim();
}

function moveSaid(view: View, { source, target, count }: Move): string {
  const { stock, waste, foundations } = view.ruleset;
  if (target === ROW) return text.spoken.row;
  if (source === waste && target === stock) return text.spoken.turnedOver;
  const pile = pileAt(view, source);
  const card = pile[pile.length - count];
  if (source === stock && target === waste) return "";
  if (card === undefined || isDown(card)) return "";
  const cards = text.spoken.cards(cardWords(card), count);
  if (foundations.includes(target)) {
    return text.spoken.home(cards, pileAt(view, target).length + count);
  }
  const onto = pileAt(view, target).at(-1);
  return text.spoken.moved(cards, onto === undefined ? pileWords(view, target) : cardWords(onto));
}

/** Return the announcement of cards turned up between two views, by pile. */
export function turnedUpSaid(before: View, now: View): string {
  const known = (view: View) => {
    const cards = new Map<Card, number>();
    for (const card of view.piles.flat()) {
      if (!isDown(card)) cards.set(card, (cards.get(card) ?? 0) + 1);
    }
    return cards;
  };
  const earlier = known(before);
  const up: Card[] = [];
  for (const card of now.piles.flat()) {
    if (isDown(card) || card === UNSEEN) continue;
    const left = earlier.get(card) ?? 0;
    if (left > 0) earlier.set(card, left - 1);
    else up.push(card);
  }
  return up.length === 0 ? "" : text.spoken.up(up.map(cardWords).join(", "));
}
