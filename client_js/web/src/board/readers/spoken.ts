/** Screen reader announcements of changes of a board. */

import { type Layout, type View, cardsHome, pileAt } from "../../../../src/rules/board.ts";
import { type Card, UNSEEN, isDown } from "../../../../src/rules/cards.ts";
import { isPair, isWon, legalMoves } from "../../../../src/rules/moves.ts";
import { apply } from "../../../../src/rules/play.ts";
import { type Move, ROW } from "../../../../src/rules/ruleset.ts";
import { cardWords, pileWords, text } from "../../text/index.ts";

/** The most views kept: longer chains of undos are described by legal moves. */
const KEPT = 200;

/** Describes each change of one board, in the order of its views. */
export class Narrator {
  /** The views since the first one, without the undone ones. */
  #views: View[] = [];

  /** Return the announcement of the next view; empty if nothing has changed. */
  next(now: View): string {
    const before = this.#views.at(-1);
    const undone = this.#views.at(-2);
    if (before?.ruleset !== now.ruleset) {
      this.#views = [now];
      // The deal is announced once its cards arrive.
      return isUnseen(now) ? "" : positionSaid(now);
    }
    if (isSame(before, now)) {
      this.#views[this.#views.length - 1] = now;
      // Nothing has been moved on the empty table before the deal.
      return isUnseen(before) ? positionSaid(now) : turnedUpSaid(before, now);
    }
    if (undone && isSame(undone, now)) {
      this.#views.splice(-2, 2, now);
      return backSaid(undone, before) ?? positionSaid(now);
    }
    this.#views = [...this.#views, now].slice(-KEPT);
    const move = moveBetween(before, now);
    if (move) {
      // The cards that go home when the tableau is cleared are too many to name.
      const up = now.ruleset.clears && isWon(now) ? "" : turnedUpSaid(before, now);
      return `${movesSaid(before, move)} ${up}`.trim();
    }
    return backSaid(now, before) ?? positionSaid(now);
  }
}

/** Whether no card of a board is known. */
function isUnseen({ piles }: View): boolean {
  return piles.flat().every((card) => card === UNSEEN);
}

/** Whether two boards agree in all cards that both show. */
function isSame(one: Layout, other: Layout): boolean {
  return (
    one.redeals === other.redeals &&
    one.piles.every((pile, number) => {
      const others = pileAt(other, number);
      return (
        pile.length === others.length &&
        pile.every((card, nth) => {
          const there = others[nth] ?? UNSEEN;
          return card === there || isDown(card) || isDown(there);
        })
      );
    })
  );
}

function moveBetween(before: View, now: View): Move | undefined {
  return legalMoves(before).find((move) => isSame(apply(before, move), now));
}

/** Return the announcement of a new deal or a resumed game. */
function positionSaid(view: View): string {
  const { spoken } = text;
  return view.moves === 0 ? spoken.dealt : spoken.position(view.moves, cardsHome(view));
}

/** Return the announcement of an undone move; undefined if it was not a single one. */
function backSaid(back: View, before: View): string | undefined {
  const move = moveBetween(back, before);
  if (move === undefined) return undefined;
  const { stock, waste } = back.ruleset;
  const { source, target, count } = move;
  if (target === ROW) return text.spoken.rowBack;
  if (source === waste && target === stock) return text.spoken.overBack;
  if (isPair(back.ruleset, move)) return text.spoken.pairBack(pairWords(back, move));
  const cards = pileAt(before, target);
  const card = pileAt(back, source).at(-count) ?? UNSEEN;
  const known = isDown(card) ? (cards.at(-count) ?? UNSEEN) : card;
  // A complete run went home, or several cards were turned to the waste.
  const several = source === stock ? cards.length - pileAt(back, target).length : count;
  return text.spoken.back(text.spoken.cards(cardWords(known), several), pileWords(back, source));
}

/** Return the announcement of a move about to be played on `view`. */
export function movesSaid(view: View, move: Move): string {
  const moved = moveSaid(view, move);
  const { automatic, clears, foundations } = view.ruleset;
  if (clears) {
    const after = apply(view, move);
    const rest = cardsHome(after) - cardsHome(view) > (isPair(view.ruleset, move) ? 2 : 1);
    return rest ? `${moved} ${text.spoken.rest}`.trim() : moved;
  }
  // A complete run goes home automatically.
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
  if (isPair(view.ruleset, { source, target, count })) {
    const [home = 0] = foundations;
    const words = pairWords(view, { source, target, count });
    return text.spoken.pair(words, pileAt(view, home).length + 2);
  }
  const cards = text.spoken.cards(cardWords(card), count);
  if (foundations.includes(target)) {
    return text.spoken.home(cards, pileAt(view, target).length + count);
  }
  const onto = pileAt(view, target).at(-1);
  return text.spoken.moved(cards, onto === undefined ? pileWords(view, target) : cardWords(onto));
}

/** Return the names of two cards that go home together. */
function pairWords(view: View, { source, target }: Move): string {
  const [card, other] = [source, target].map((pile) => pileAt(view, pile).at(-1) ?? UNSEEN);
  return text.spoken.two(cardWords(card ?? UNSEEN), cardWords(other ?? UNSEEN));
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
