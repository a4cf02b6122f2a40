/**
 * The text of moves and piles, in journals, vectors, logs, drivers and the wire protocol.
 *
 * A move is `source>target`, followed by `xN` if it moves N > 1 cards: `t3>f0`, `t3>t5x4`, `s>w`;
 * `s>t` deals a row and `w>s` turns the waste over. A pile of a view has two characters per card,
 * bottom to top, with `??` for an unseen card: `??THKS`.
 */

import { type Pile, UNSEEN, cardName, parseCard } from "./cards.ts";
import { EngineError } from "./errors.ts";
import { type Move, ROW, type Ruleset } from "./ruleset.ts";

const MOVE = /^([a-z]\d{0,2})>([a-z]\d{0,2})(?:x([2-9]|[1-9]\d{1,2}))?$/;

export function moveText(ruleset: Ruleset, { source, target, count }: Move): string {
  const to = target === ROW ? "t" : ruleset.pileNames[target];
  return `${ruleset.pileNames[source]}>${to}${count > 1 ? `x${count}` : ""}`;
}

/** Parse a move, whether legal or not; throw `bad_move` if it is malformed. */
export function parseMove(ruleset: Ruleset, text: string): Move {
  const found = MOVE.exec(text);
  if (found === null) {
    throw new EngineError("bad_move", "A move is written as in t3>f0, t3>t5x4, s>w, s>t or w>s.");
  }
  if (text === "s>t" && ruleset.rules.stock.plays.includes("row")) {
    return { source: ruleset.stock, target: ROW, count: 1 };
  }
  const [, source = "", target = "", count = "1"] = found;
  return {
    source: pileNumber(ruleset, source),
    target: pileNumber(ruleset, target),
    count: Number(count),
  };
}

/** Return the number of the pile with this name; throw `bad_move`. */
function pileNumber(ruleset: Ruleset, name: string): number {
  const number = ruleset.pileNumbers.get(name);
  if (number === undefined) {
    throw new EngineError("bad_move", `${ruleset.game} has no pile ${name}.`);
  }
  return number;
}

/** Return the text of a view's pile, whose face-down cards are all `UNSEEN`. */
export function seenText(pile: Pile): string {
  return pile.map(cardName).join("");
}

/** Parse a view's pile, two characters per card; throw `bad_card`. */
export function parseSeen(text: string): Pile {
  const names = text.match(/.{1,2}/gsu) ?? [];
  return names.map((name) => (name === "??" ? UNSEEN : parseCard(name)));
}
