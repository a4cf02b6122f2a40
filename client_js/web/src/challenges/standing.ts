/** Those who play a challenge, by what may be shown of them. Pure. */

import type { Challenger, Result } from "@samedeal/client";

/** One whose run is over and may be seen. */
export interface Done extends Challenger {
  readonly result: Result;
  readonly rank: number;
  readonly attempt: string;
}

/** Those whose runs are over and may be seen, in the order of the table. */
export function doneOf(players: readonly Challenger[]): readonly Done[] {
  return players.filter((each): each is Done => {
    const { state, result, rank, attempt } = each;
    return state === "ended" && result !== null && rank !== null && attempt !== null;
  });
}

/** How many others than the maker have begun, and how many are done. */
export function countsOf(
  players: readonly Challenger[],
  maker: string | undefined,
): { begun: number; ended: number } {
  const others = players.filter(({ player }) => player.id !== maker);
  const ended = others.filter(({ state }) => state === "ended").length;
  const playing = others.filter(({ state }) => state === "playing").length;
  return { begun: ended + playing, ended };
}

/** The result to beat: the maker's, if it is shown, and brought a card home. */
export function toBeat(players: readonly Challenger[], maker: string): Result | null {
  const result = players.find(({ player }) => player.id === maker)?.result ?? null;
  return result !== null && result.end !== null && result.time > 0 ? result : null;
}
