/** Hints in practice: the solver's advice, or the simple hint if that takes too long. */

import type { Board } from "../../../src/rules/board.ts";
import { hint } from "../../../src/rules/hints.ts";
import { parseMove } from "../../../src/rules/notation.ts";
import { keyOf, knownOf } from "../../../src/solver/known.ts";
import type { Hinted } from "./practice.svelte.ts";
import type { Solver } from "../solver/asking.ts";
import type { Answer } from "../solver/protocol.ts";

/** The solver's time limit in milliseconds; half a second in total with overhead. */
const THINKS = 400;
/** The longest wait for its answer: a slow phone has to load it first. */
const WAITS = 1_500;

/** The least number of sampled boards for a statement about the chances. */
const TELLING = 4;

/**
 * Return a hint for the last of these boards, based on the player's knowledge.
 *
 * @param boards the boards of the game so far; lines back to an earlier one are excluded.
 */
export async function advised(
  boards: readonly Board[],
  solver: Pick<Solver, "ask">,
  wait: (milliseconds: number) => Promise<void> = waited,
): Promise<Hinted> {
  const board = boards.at(-1);
  if (board === undefined) throw new RangeError("There is no board.");
  const { ruleset, piles, redeals, moves } = knownOf(board);
  const { game, variant, digest: rules } = ruleset;
  const been = boards.slice(0, -1).map(keyOf);
  const named = { game, variant, rules };
  const layout = { piles, redeals, moves };
  let takeBack = (): void => undefined;
  const answer = await Promise.race([
    new Promise<Answer>((resolve) => {
      takeBack = solver.ask({ kind: "advice", ...named, ...layout, been, time: THINKS }, resolve);
    }),
    wait(WAITS).then(() => null),
  ]);
  // The simple hint replaces a late answer: free the solver for the next question.
  if (answer === null) takeBack();
  if (answer?.kind !== "advice") return { move: hint(board), sure: null };
  const { move, wins, samples: of, certain } = answer;
  const sure = wins > 0 && (certain || of >= TELLING) ? { wins, of, certain } : null;
  return { move: move === null ? null : parseMove(ruleset, move), sure };
}

function waited(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}
