/** Winning lines short enough to follow: a deep search may wander for thousands of moves. */

import type { Board } from "../rules/board.ts";
import { legalMoves } from "../rules/moves.ts";
import { apply } from "../rules/play.ts";
import type { Move } from "../rules/ruleset.ts";
import { keyOf } from "./known.ts";
import type { Solution } from "./solution.ts";

/** The divisor of a method's budget for a search from the middle of a line. */
export const SHORTER = 50;

/** The most moves of a line, or of its new end, that a player follows without complaint. */
const ENOUGH = 250;

/** The moves between two boards of a long line from which shorter ends are searched. */
const STRIDE = 8;

/**
 * Return a line that wins a board like the given one, with fewer moves if that one is long.
 *
 * @param search a short search for another line.
 */
export function followable(
  board: Board,
  line: readonly Move[],
  search: (board: Board) => Solution,
): readonly Move[] {
  if (line.length <= ENOUGH) return line;
  const direct = withoutDetours(board, line);
  let here = board;
  for (const [at, move] of direct.entries()) {
    if (at + ENOUGH >= direct.length) break;
    if (at % STRIDE === 0) {
      const { verdict, line: end } = search(here);
      if (verdict === "winnable" && end.length <= ENOUGH) return [...direct.slice(0, at), ...end];
    }
    here = apply(here, move);
  }
  return direct;
}

/** Skip the parts of a line that a single move replaces. */
function withoutDetours(board: Board, line: readonly Move[]): readonly Move[] {
  const boards = [board];
  for (const move of line) boards.push(apply(boards.at(-1) ?? board, move));
  const last = new Map(boards.map((each, at) => [keyOf(each), at]));
  const direct: Move[] = [];
  for (let at = 0; at < line.length;) {
    const from = boards[at] ?? board;
    let [move, next] = [line[at], at + 1];
    for (const other of legalMoves(from)) {
      const reached = last.get(keyOf(apply(from, other))) ?? -1;
      if (reached > next) [move, next] = [other, reached];
    }
    if (move !== undefined) direct.push(move);
    at = next;
  }
  return direct;
}
