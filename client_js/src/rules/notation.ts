/**
 * Text of moves and of piles, the same everywhere: journals, vectors, logs, drivers, the wire.
 *
 * A move is `source>target`, with `xN` behind it where N > 1: `t3>f0`, `t3>t5x4`, `s>w`; `s>t` deals
 * a row and `w>s` turns the waste over. What is seen of a pile is two letters a card, bottom to
 * top, `??` for an unseen one: `??THKS`.
 */

import { type Pile, UNSEEN, cardName, parseCard } from "./cards.ts";
import { EngineError } from "./errors.ts";
import { type Move, ROW, type Ruleset } from "./ruleset.ts";

const MOVE = /^([a-z]\d{0,2})>([a-z]\d{0,2})(?:x([2-9]|[1-9]\d))?$/;
const LONGEST = 16;

/** A move's text. */
export function moveText(ruleset: Ruleset, { source, target, count }: Move): string {
  const to = target === ROW ? "t" : ruleset.pileNames[target];
  return `${ruleset.pileNames[source]}>${to}${count > 1 ? `x${count}` : ""}`;
}

/** The move that a text names, legal or not; throws `bad_move` if it names none of this game. */
export function parseMove(ruleset: Ruleset, text: string): Move {
  const found = text.length <= LONGEST ? MOVE.exec(text) : null;
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

/** The number of the pile of this name; throws `bad_move`. */
export function pileNumber(ruleset: Ruleset, name: string): number {
  const number = ruleset.pileNumbers.get(name);
  if (number === undefined) {
    throw new EngineError("bad_move", `${ruleset.game} has no pile ${name}.`);
  }
  return number;
}

/** What is seen of a pile that holds no card face down but `UNSEEN` ones. */
export function seenText(pile: Pile): string {
  return pile.map(cardName).join("");
}

/** The pile that a text of two letters a card shows; throws `bad_card`. */
export function parseSeen(text: string): Pile {
  const names = text.match(/.{1,2}/gsu) ?? [];
  return names.map((name) => (name === "??" ? UNSEEN : parseCard(name)));
}
