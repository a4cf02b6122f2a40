/** The cards that illustrate a game in lists and at the top of its screens. */

import { type Card, parseCard } from "../../../src/rules/cards.ts";

const CARDS: Readonly<Record<string, readonly string[]>> = {
  roosevelt: ["AS", "KH"],
  robert: ["4D", "5S"],
  "rouge-et-noir": ["KC", "QD"],
  deuces: ["2H", "2C"],
  "lady-betty": ["JC", "QS"],
  klondike: ["QH", "KS"],
  spider: ["KD", "AC"],
  freecell: ["9S", "TD"],
  yukon: ["7C", "KH"],
  "forty-thieves": ["KC", "JS"],
  canfield: ["3H", "KD"],
  pyramid: ["4S", "9H"],
  tripeaks: ["3D", "4C"],
  golf: ["6C", "7D"],
};

/** Return a game's cards, the main one last. */
export function cardsOf(game: string): readonly Card[] {
  return (CARDS[game] ?? ["AS"]).map(parseCard);
}

export function chiefCardOf(game: string): Card {
  return cardsOf(game).at(-1) ?? 0;
}
