/** Telling players of dead ends that they can undo. */

import type { Layout } from "../../../src/rules/board.ts";

/**
 * Call `tell` at each dead end once, after a move.
 *
 * @param board the board, or null if there is nothing to tell, such as after the end.
 */
export function tellOfDeadEnds(board: () => Layout | null, tell: () => void): void {
  let told = false;
  $effect(() => {
    const at = board();
    if (at === null || at.moves === 0) return undefined;
    let wanted = true;
    const search = async (): Promise<void> => {
      const { isCutOff } = await import("./deadEnds.ts");
      if (!wanted) return;
      const dead = isCutOff(at);
      if (dead && !told) tell();
      told = dead;
    };
    // Without its file, nothing is told.
    search().catch(() => undefined);
    return () => (wanted = false);
  });
}
