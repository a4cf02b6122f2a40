/** The players of a challenge, by how much of them may be shown. Pure functions. */

import type { Challenge, Challenger, Result } from "@samedeal/client";

/** A player whose run is over and may be shown. */
export interface Done extends Challenger {
  readonly result: Result;
  readonly rank: number;
  readonly attempt: string;
}

/** Return the players whose runs are over and may be shown, in the table's order. */
export function doneOf(players: readonly Challenger[]): readonly Done[] {
  return players.filter((each): each is Done => {
    const { state, result, rank, attempt } = each;
    return state === "ended" && result !== null && rank !== null && attempt !== null;
  });
}

/** Return the loaded rows of a challenge: its first page, further ones, and the player's own. */
export function rowsOf(
  { players, own }: Pick<Challenge, "players" | "own">,
  more: readonly Challenger[],
): readonly Challenger[] {
  const rows = new Map<string, Challenger>();
  for (const row of [...players, ...more, ...(own === null ? [] : [own])])
    if (!rows.has(row.player.id)) rows.set(row.player.id, row);
  return [...rows.values()];
}

/** Return how many players other than the viewing creator have started, and how many are done. */
export function countsOf({ begun, ended, own }: Pick<Challenge, "begun" | "ended" | "own">): {
  begun: number;
  ended: number;
} {
  const isDone = own?.state === "ended";
  const hasBegun = isDone || own?.state === "playing";
  return { begun: begun - Number(hasBegun), ended: ended - Number(isDone) };
}

/** Return the result to beat: the creator's, if it is visible and brought a card home. */
export function toBeat({
  target,
  own,
  creator,
}: Pick<Challenge, "target" | "own" | "creator">): Result | null {
  const result = target ?? (own?.player.id === creator.id ? own.result : null);
  return result !== null && result.end !== null && result.time > 0 ? result : null;
}
