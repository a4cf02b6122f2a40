/** Converts the search's lines to moves of the rules. */

import { type Board, pileAt } from "../../rules/board.ts";
import { DOWN } from "../../rules/cards.ts";
import { isWon } from "../../rules/moves.ts";
import { apply } from "../../rules/play.ts";
import type { Move } from "../../rules/ruleset.ts";
import { HOME, TALON, countOf, placeOf, sourceOf, targetOf } from "./encoding.ts";
import type { Tables } from "./tables.ts";

/** The moves of a line, including the deals that precede some of them, and the board after them. */
interface Line {
  readonly line: readonly Move[];
  readonly after: Board;
}

/** Return a line from a board as moves of the rules. */
export function lineOf(board: Board, { numbers }: Tables, moves: readonly number[]): Line {
  const { stock, waste } = board.ruleset;
  const drawn = [
    ...(waste === null ? [] : pileAt(board, waste)),
    ...pileAt(board, stock).toReversed(),
  ];
  const line: Move[] = [];
  let at = board;

  function append(source: number, target: number, count = 1): void {
    const move = { source, target, count };
    line.push(move);
    at = apply(at, move);
  }

  for (const move of moves) {
    // The other cards went home when the tableau was empty.
    if (isWon(at)) break;
    const source = sourceOf(move);
    const target = targetOf(move);
    const to = target >= HOME ? target - HOME : numbers[target]!;
    if (source >= HOME) {
      append(source - HOME, to);
    } else if (source < TALON) {
      append(numbers[source]!, to, countOf(move));
    } else if (waste === null) {
      append(stock, to);
    } else {
      const card = drawn[placeOf(move)]! & ~DOWN;
      while (pileAt(at, waste).at(-1) !== card) {
        if (pileAt(at, stock).length > 0) append(stock, waste);
        else append(waste, stock);
      }
      append(waste, to);
    }
  }
  return { line, after: at };
}
