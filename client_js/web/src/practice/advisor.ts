/** A hint in practice: the solver's advice, or the simple hint where that takes too long. */

import type { Board } from "../../../src/rules/board.ts";
import { hint } from "../../../src/rules/hints.ts";
import { parseMove } from "../../../src/rules/notation.ts";
import { keyOf, knownOf } from "../../../src/solver/known.ts";
import type { Hinted } from "./practice.svelte.ts";
import type { Solver } from "../solver/asking.ts";
import type { Answer } from "../solver/protocol.ts";

/** How long the solver thinks, in milliseconds: with what surrounds that, half a second. */
const THINKS = 400;
/** How long its answer is waited for: a slow phone has to load it first. */
const WAITS = 1_500;

/** How many imagined boards it takes to say anything of the chances. */
const TELLING = 4;

/**
 * A hint on the last of these boards, by what the player knows alone.
 *
 * @param boards the boards of the game so far; those before are not led back to.
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
  if (answer === null) takeBack();
  if (answer?.kind !== "advice") return { move: hint(board), sure: null };
  const { move, wins, samples: of, certain } = answer;
  const sure = wins > 0 && (certain || of >= TELLING) ? { wins, of, certain } : null;
  return { move: move === null ? null : parseMove(ruleset, move), sure };
}

function waited(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}
