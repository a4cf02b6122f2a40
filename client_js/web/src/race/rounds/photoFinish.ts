/**
 * The photo finish of a deal with several players: the winners and the runner-up. Pure functions.
 */

import type { Runner } from "@samedeal/client";

export type Placed = Pick<Runner, "player" | "rank" | "result">;

/** The winners, and the runner-up. */
export interface Finish<Each extends Placed> {
  /** Several in a tie; empty if no player brought a card home. */
  readonly winners: readonly Each[];
  /** The best of the others, or null. */
  readonly next: Each | null;
}

/** Whether several raced and none brought a card home: all share the last rank. */
export function isUnwon(places: readonly { readonly rank: number | null }[]): boolean {
  return places.length > 1 && !places.some(({ rank }) => rank === 1);
}

export function ranked(runners: readonly Runner[]): readonly Runner[] {
  return runners.toSorted((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity));
}

/** Return the finish of these players, given best first. */
export function finishOf<Each extends Placed>(standing: readonly Each[]): Finish<Each> {
  const winners = standing.filter(({ rank }) => rank === 1);
  return { winners, next: standing.find(({ rank }) => rank !== 1) ?? null };
}

/** The number of drawn runs: reading one costs the server as much as ten moves. */
const DRAWN = 3;

/** Return the runners to draw: the best ones and the player, best first. */
export function drawn<Each extends Placed>(
  standing: readonly Each[],
  me: string | undefined,
): readonly Each[] {
  const isMine = ({ player }: Each): boolean => player.id === me;
  const others = standing.filter((runner) => !isMine(runner));
  const best = others.slice(0, DRAWN - (others.length < standing.length ? 1 : 0));
  return standing.filter((runner) => isMine(runner) || best.includes(runner));
}
