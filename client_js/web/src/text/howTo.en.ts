/** How games are played, in English. */

import type { Match } from "../../../src/rules/schema.ts";
import { text } from "./index.ts";

/** The pars of so many deals: between what most of them are. */
interface Pars {
  readonly deals: number;
  readonly low: number;
  readonly high: number;
}

export const en = {
  summaries: {
    roosevelt: "Two packs, seven columns, one card at a time. Patience decides.",
    robert: "Three passes through one pack, up or down. Over in two minutes.",
    "rouge-et-noir": "Ten columns, red on black, and a fresh row whenever you dare.",
    deuces: "The Twos are home already. Ten columns down in suit, and the corner goes round.",
    "lady-betty": "Six piles, and every card you put down stays until it goes home.",
  } as Readonly<Record<string, string>>,
  goalTitle: "The goal",
  goal: (total: number) => `Bring all ${total} cards home to the foundations.`,
  goalOfPar: (total: number, { deals, low, high }: Pars) =>
    `Bring as many of the ${total} cards home as you can. You won’t get all of them: we worked out ${deals.toLocaleString(text.locale)} deals, and none can be won. Each deal has its par, the most cards that can come home. It’s usually ${low} to ${high}.`,
  home: (piles: number, first: string, match: Match, suits: string) => {
    const which = suits === "HD" ? "red " : suits === "SC" ? "black " : "";
    const by = match === "suit" ? " by suit" : match === "colour" ? " by colour" : "";
    const order =
      first === "A" ? "from Ace to King" : `from ${text.cards.rank(first)} to King, Ace last`;
    return `${piles} ${which}foundations build up${by}, ${order}.`;
  },
  run: (piles: number) =>
    `${piles} more foundations take a whole run each, from King down to Ace, in one go.`,
  either: (piles: number) =>
    `${piles === 1 ? "One foundation goes" : `${piles} foundations go`} up or down by one, in any suit; King and Ace are neighbours.`,
  columnsTitle: "The columns",
  anyOnAny: "Any card goes on any pile.",
  onlyHome: "From there it can only go home, so choose well.",
  builds: (match: Match, wrap: boolean) =>
    ({
      suit: "Columns build down by suit, one rank at a time.",
      alternate: "Columns build down, red on black and black on red.",
      colour: "Columns build down in the same colour.",
      any: "Columns build down, whatever the suit.",
    })[match] + (wrap ? " A King goes on an Ace." : ""),
  moves: {
    card: "One card moves at a time.",
    run: "Cards that follow one another move together.",
    "run-by-spaces":
      "Cards that follow one another move together, as many as your empty columns allow: 2 with one, 4 with two.",
  },
  emptyAny: "Any card may start an empty column.",
  emptyOnly: (rank: string) => `Only a ${text.cards.rank(rank)} may start an empty column.`,
  stockTitle: "The stock",
  row: "It deals one card onto each column, all at once. Use it when you need to: there are six rows.",
  openStock:
    "Its top card is open. An Ace may go straight home; every other card goes on a pile first.",
  draw: "It deals one card at a time onto the waste.",
  wasteAnywhere: "The waste’s top card may go on a column or home.",
  wasteHome: "The waste’s top card may go home.",
  redeals: (times: number) =>
    times === 0
      ? "You go through it once."
      : `When it is empty, the waste becomes the stock again, ${times === 1 ? "once" : times === 2 ? "twice" : `${times} times`}.`,
  tapTitle: "Playing",
  tap: "Tap a card and it makes its best move: home if it can, else to the longest run. Or drag it where you like.",
  tapHome: "Tap a card and it goes home if it can. Or drag it there.",
  tapChoose:
    "Tap the open card, then the pile for it. A card that can go home takes one tap. Or drag it where you like.",
  keys: "On a keyboard: arrows to move, Enter to play, Space to pick up and put down, H for home, D to deal, U to undo, I for a hint.",
};
