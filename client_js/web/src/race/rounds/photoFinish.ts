/** The photo finish of a deal that several have played: who won it, and before whom. Pure. */

import type { Runner } from "@samedeal/client";

/** Who has played a deal, and how. */
export type Placed = Pick<Runner, "player" | "rank" | "result">;

/** Who is first, and who comes next. */
export interface Finish<Each extends Placed> {
  /** Equally good, if they are several; empty if nobody brought a card home. */
  readonly winners: readonly Each[];
  /** The best of the others; null if there are none. */
  readonly next: Each | null;
}

/**
 * Whether the places in a round are none: several raced, and nobody brought a card home. All of them
 * share the last rank then, though none was better than another.
 */
export function isUnwon(places: readonly { readonly rank: number | null }[]): boolean {
  return places.length > 1 && !places.some(({ rank }) => rank === 1);
}

/** The runners in the order of their ranks. */
export function ranked(runners: readonly Runner[]): readonly Runner[] {
  return runners.toSorted((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity));
}

/** How it ended for these, the best first. */
export function finishOf<Each extends Placed>(standing: readonly Each[]): Finish<Each> {
  const winners = standing.filter(({ rank }) => rank === 1);
  return { winners, next: standing.find(({ rank }) => rank !== 1) ?? null };
}

/** How many runs are drawn: reading one costs the server as much as ten moves. */
const DRAWN = 3;

/** The runners whose runs are drawn, the best first: the best ones, and the player. */
export function drawn<Each extends Placed>(
  standing: readonly Each[],
  me: string | undefined,
): readonly Each[] {
  const isMine = ({ player }: Each): boolean => player.id === me;
  const others = standing.filter((runner) => !isMine(runner));
  const best = others.slice(0, DRAWN - (others.length < standing.length ? 1 : 0));
  return standing.filter((runner) => isMine(runner) || best.includes(runner));
}
