/**
 * Exact decisions for games whose piles take cards only from the stock, and give only to
 * foundations.
 *
 * This is the twin of `engine/solver/piles.py`, which proves exactness. The verdicts are the same;
 * the lines may differ, because the SAT solvers do.
 */

import { type Board, pileAt } from "../rules/board.ts";
import { type Card, SUITS, turnedUp } from "../rules/cards.ts";
import { topOf } from "../rules/moves.ts";
import { EMPTY, type Move, type Ruleset } from "../rules/ruleset.ts";
import { encode, placesIn } from "./burial.ts";
import * as cdcl from "./cdcl.ts";
import type { Solution, Verdict } from "./solution.ts";
import {
  type Places,
  type Stacks,
  Table,
  broughtHome,
  cardsLeft,
  chainsOf,
  settled,
  stacksOf,
} from "./stacks.ts";
import { trials } from "./trials.ts";

/** The budget cost of a SAT solver conflict. */
const STEPS_PER_CONFLICT = 500;

/** Whether this method supports a ruleset. */
export function applies(ruleset: Ruleset): boolean {
  const { packs, suits, tableau, stock, reserve, cells } = ruleset.rules;
  return (
    packs === 1 &&
    suits.length === SUITS.length &&
    reserve === null &&
    cells === null &&
    ruleset.groups.every(({ first, plays }) => first !== "same" && plays.length === 0) &&
    tableau?.order === "any" &&
    tableau.empty === "any" &&
    tableau.plays.join() === "foundation" &&
    !ruleset.clears &&
    tableau.fill.length === 0 &&
    stock.plays.includes("tableau") &&
    stock.plays.every((place) => place === "tableau" || place === "foundation") &&
    stock.to_foundation !== "any" &&
    chainsOf(ruleset) !== null
  );
}

/** Decide a board of a supported ruleset, in any position of the game. */
export function solve(board: Board, budget: number): Solution {
  const stacks = settled(stacksOf(board));
  const left = cardsLeft(stacks);
  const tried = trials(stacks);
  let { places, home: low } = tried;
  let high = stacks.stock.length > 0 ? stacks.chains.flat().length : 0;
  const conflicts = Math.floor(budget / STEPS_PER_CONFLICT);
  let used = 0;
  if (low < high) {
    const encoding = encode(stacks);
    let target = high;
    while (low < high && used < conflicts) {
      const clauses = [...encoding.clauses, [encoding.atLeast[target - 1]!]];
      const answer = cdcl.solve(encoding.variables, clauses, conflicts - used);
      used += answer.conflicts;
      if (answer.satisfiable === null) break;
      if (answer.satisfiable) {
        places = placesIn(encoding, answer.model);
        low = broughtHome(stacks, places);
        if (low < target) throw new Error("The clauses do not determine the cards that come home.");
      } else {
        high = target - 1;
      }
      target = (low + high + 1) >> 1;
    }
  }
  let verdict: Verdict = "unknown";
  if (low === left) verdict = "winnable";
  else if (high < left) verdict = "impossible";
  return {
    verdict,
    line: lineOf(board, places),
    home: board.piles.flat().length - left + low,
    most: low === high,
    proof: verdict === "impossible" ? proofOf(stacks, used) : "",
    effort: tried.left,
    steps: used * STEPS_PER_CONFLICT,
  };
}

/** Return the moves that put the stock's cards on these piles, up to the last that goes home. */
function lineOf(board: Board, places: Places): readonly Move[] {
  const { ruleset } = board;
  const { foundations, homes, stock, tableau } = ruleset;
  const table = new Table(stacksOf(board));
  const tops = foundations.map((foundation) => topOf(pileAt(board, foundation)));
  const moves: Move[] = [];
  let end = 0;

  const sendHome = (source: number, card: Card) => {
    const target = foundations.findIndex((foundation) =>
      homes[foundation]!(tops[foundation]!, card),
    );
    tops[target] = card;
    end = moves.push({ source, target, count: 1 });
  };
  const settle = () => {
    for (const [pile, card] of table.settle()) sendHome(tableau[pile]!, card);
  };

  settle();
  for (const card of turnedUp(pileAt(board, stock)).toReversed()) {
    if (table.wanted.has(card) && goesDirectly(ruleset, tops, card)) {
      table.take(card);
      sendHome(stock, card);
    } else {
      const pile = places.get(card) ?? 0;
      table.place(card, pile);
      moves.push({ source: stock, target: tableau[pile]!, count: 1 });
    }
    settle();
  }
  return moves.slice(0, end);
}

/** Whether a card of the stock that fits a foundation goes there directly. */
function goesDirectly(ruleset: Ruleset, tops: readonly Card[], card: Card): boolean {
  const { stock } = ruleset.rules;
  if (!stock.plays.includes("foundation")) return false;
  return (
    stock.to_foundation === "fitting" ||
    ruleset.homes.some((fits, foundation) => tops[foundation] === EMPTY && fits(EMPTY, card))
  );
}

/** Return the argument why not all cards come home. */
function proofOf(stacks: Stacks, conflicts: number): string {
  if (stacks.stock.length === 0) {
    return "The stock is empty, and no pile's last card fits a foundation.";
  }
  if (stacks.chains.flat().length < cardsLeft(stacks)) {
    return "No foundation can ever take some of the cards.";
  }
  return (
    "Every way to put the stock's cards on piles, with cards sent home as soon as they fit, " +
    `was refuted by a SAT solver, in ${conflicts} conflicts.`
  );
}
