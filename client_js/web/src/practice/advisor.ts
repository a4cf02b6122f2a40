/** Hints in practice: the solver's advice, or the simple hint if the solver is unavailable. */

import type { Board } from "../../../src/rules/board.ts";
import { hint } from "../../../src/rules/hints.ts";
import { parseMove } from "../../../src/rules/notation.ts";
import { play } from "../../../src/rules/play.ts";
import { keyOf, knownOf } from "../../../src/solver/known.ts";
import type { Solver } from "../solver/asking.ts";
import type { Answer } from "../solver/protocol.ts";
import type { Hinted, Prospects } from "./practice.svelte.ts";

type Advice = Extract<Answer, { kind: "advice" }>;

/** The known facts about a deal: the next moves on lines that win, and searches in vain, by layout. */
interface Memory {
  readonly next: Map<string, string>;
  readonly vain: Set<string>;
}

/** By the deal's first board. */
const memories = new WeakMap<Board, Memory>();

function memoryOf(dealt: Board): Memory {
  const memory = memories.get(dealt) ?? { next: new Map(), vain: new Set() };
  memories.set(dealt, memory);
  return memory;
}

/**
 * Return a hint for the last of these boards, based on the player's knowledge. On a line known to
 * win, hints follow it without the solver.
 *
 * @param boards the boards of the game so far; lines back to an earlier one are excluded.
 * @param signal cancels the question: the hint is then the simple one.
 */
export async function advised(
  boards: readonly Board[],
  solver: Pick<Solver, "ask">,
  signal?: AbortSignal,
): Promise<Hinted> {
  const [dealt, board] = [boards[0], boards.at(-1)];
  if (dealt === undefined || board === undefined) throw new RangeError("There is no board.");
  const { game, variant, digest: rules } = board.ruleset;
  const memory = memoryOf(dealt);
  const keys = boards.map(keyOf);
  const key = keys.at(-1) ?? "";
  const followed = memory.next.get(key);
  if (followed !== undefined) {
    return { move: parseMove(board.ruleset, followed), prospects: { kind: "win" } };
  }
  const winnable = keys.findLastIndex((each) => memory.next.has(each));
  const answer = await new Promise<Answer | null>((resolve) => {
    const takeBack = solver.ask(
      {
        ...{ kind: "advice", game, variant, rules },
        layouts: boards.map((each) => {
          const { piles, redeals, moves } = knownOf(each);
          return { piles, redeals, moves };
        }),
        winnable: winnable < 0 ? null : winnable,
        vain: keys.some((each) => memory.vain.has(each)),
      },
      resolve,
    );
    const cancel = () => {
      takeBack();
      resolve(null);
    };
    if (signal?.aborted) cancel();
    signal?.addEventListener("abort", cancel, { once: true });
  });
  if (answer?.kind !== "advice") return { move: hint(board), prospects: { kind: "guess" } };
  remember(memory, board, answer);
  if (answer.certain && answer.verdict !== "winnable") memory.vain.add(key);
  const { move } = answer;
  return {
    move: move === null ? null : parseMove(board.ruleset, move),
    prospects: prospectsOf(answer),
  };
}

function prospectsOf(answer: Advice): Prospects | null {
  const { wins, samples, certain, verdict, undos, guess } = answer;
  if (certain && verdict === "winnable") return { kind: "win" };
  if (certain) return { kind: verdict === "impossible" ? "lost" : "unknown", undos };
  if (wins > 0) return { kind: "share", wins, of: samples };
  return guess ? { kind: "guess" } : null;
}

/** Remember the moves of a winning line, each for the layout before it. */
function remember({ next }: Memory, from: Board, { line }: Advice): void {
  let board = from;
  for (const text of line) {
    next.set(keyOf(board), text);
    board = play(board, parseMove(board.ruleset, text));
  }
}
