/** Those who play a challenge, by what may be shown of them. Pure. */

import type { Challenge, Challenger, Result } from "@samedeal/client";

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

/** The rows of a challenge that are known: its first page, further ones, and the player's own. */
export function rowsOf(
  { players, own }: Pick<Challenge, "players" | "own">,
  more: readonly Challenger[],
): readonly Challenger[] {
  const rows = new Map<string, Challenger>();
  for (const row of [...players, ...more, ...(own === null ? [] : [own])])
    if (!rows.has(row.player.id)) rows.set(row.player.id, row);
  return [...rows.values()];
}

/** How many others than its maker, who looks at it, have begun, and how many are done. */
export function countsOf({ begun, ended, own }: Pick<Challenge, "begun" | "ended" | "own">): {
  begun: number;
  ended: number;
} {
  const isDone = own?.state === "ended";
  const hasBegun = isDone || own?.state === "playing";
  return { begun: begun - Number(hasBegun), ended: ended - Number(isDone) };
}

/** The result to beat: the maker's, if it is shown, and brought a card home. */
export function toBeat({
  target,
  own,
  maker,
}: Pick<Challenge, "target" | "own" | "maker">): Result | null {
  const result = target ?? (own?.player.id === maker.id ? own.result : null);
  return result !== null && result.end !== null && result.time > 0 ? result : null;
}
