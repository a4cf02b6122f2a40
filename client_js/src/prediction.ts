/** The view of an attempt after its pending moves. */

import { type PendingMove, UNDO } from "./outbox.ts";
import type { View } from "./rules/board.ts";
import { isLegal } from "./rules/moves.ts";
import { parseMove } from "./rules/notation.ts";
import { predict } from "./rules/play.ts";

export interface Prediction {
  readonly view: View;
  /** Whether the earlier view is known to which each of the moves leads. */
  readonly whole: boolean;
}

/**
 * Return the view after the pending moves up to entry `seq`, as far as they are predictable.
 *
 * @param history the views before `view`, for undo.
 */
export function predictedAfter(
  moves: readonly PendingMove[],
  seq: number,
  view: View,
  history: readonly View[],
): Prediction {
  let now = view;
  let before = history;
  for (const pending of moves) {
    if (pending.seq > seq) break;
    if (pending.move === UNDO) {
      const back = before.at(-1);
      if (back === undefined) return { view: now, whole: false };
      before = before.slice(0, -1);
      now = { ...back, moves: now.moves + 1 };
    } else {
      const move = parseMove(now.ruleset, pending.move);
      if (!isLegal(now, move)) break;
      before = [...before, now];
      now = predict(now, move);
    }
  }
  return { view: now, whole: true };
}
