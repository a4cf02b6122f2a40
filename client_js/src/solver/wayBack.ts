/** The way back from a board that cannot be won to one that can. */

import type { Board } from "../rules/board.ts";
import type { Method } from "./index.ts";

/** The divisor of a method's budget for each of the boards on the way. */
const SHARE = 24;

/**
 * Return the number of the last board known to be winnable; null if none is known.
 *
 * Moves never make a lost board winnable again, so the search first looks back in growing steps, and
 * then between the last win and the first failure.
 *
 * @param boards the boards of a game, with all cards known, before one without a known win.
 * @param from the number of a board known to be winnable, or null.
 */
export function lastWinnable(
  boards: readonly Board[],
  { solve, budget }: Pick<Method, "solve" | "budget">,
  from: number | null = null,
): number | null {
  const steps = Math.ceil(budget / SHARE);
  const isWinnable = (at: number) => {
    const board = boards[at];
    return board !== undefined && solve(board, steps).verdict === "winnable";
  };
  let winnable = from ?? -1;
  let beyond = boards.length;
  for (let step = 1; beyond > winnable + 1; step *= 2) {
    const at = Math.max(winnable + 1, boards.length - step);
    if (isWinnable(at)) {
      winnable = at;
      break;
    }
    beyond = at;
  }
  while (winnable >= 0 && beyond - winnable > 1) {
    const middle = Math.floor((winnable + beyond) / 2);
    if (isWinnable(middle)) winnable = middle;
    else beyond = middle;
  }
  return winnable < 0 ? null : winnable;
}
