/** The strip of a race: the gaps to one's neighbours, the score to beat, and where chips stand. */

import type { Standing } from "./overtaking.ts";

/** Somebody beside the player in the order, and by how many cards they are ahead of the player. */
export interface Gap<Runner extends Standing> {
  readonly runner: Runner;
  readonly by: number;
}

/** The runners just ahead of the player and just behind; none for who does not run. */
export function gapsBeside<Runner extends Standing>(
  order: readonly Runner[],
  me: string | undefined,
): Gap<Runner>[] {
  const at = order.findIndex(({ id }) => id === me);
  const own = order[at];
  if (own === undefined) return [];
  return [order[at - 1], order[at + 1]]
    .filter((runner) => runner !== undefined)
    .map((runner) => ({ runner, by: runner.cards - own.cards }));
}

/** The best of those who have stopped with a card home, whose score the others have to beat. */
export function bestStopped<Runner extends Standing & { readonly end: unknown }>(
  order: readonly Runner[],
): Runner | undefined {
  return order.find(({ cards, end }) => end !== null && cards > 0);
}

/** How far along the track so many cards are, from 0 to 1, if its end stands for `total`. */
export function along(cards: number, total: number): number {
  return Math.min(1, cards / total);
}

/** What takes up a part of the strip, in pixels: where it would begin, and how wide it is. */
export interface Chip {
  readonly from: number;
  readonly width: number;
}

/**
 * Where chips begin so that none covers another one: each where it would, or further on, so that
 * the better one is ahead. The last ones at the end move the others back.
 *
 * @param chips in the order of the race, the first runner's first.
 * @param room how wide the strip is; chips that do not fit in it overlap evenly.
 */
export function standApart(chips: readonly Chip[], room: number): number[] {
  const [first = 0, ...others] = chips.map(({ width }) => width);
  const behind = others.reduce((sum, width) => sum + width, 0);
  const squeeze = Math.min(1, (room - first) / behind);
  const taken = [first, ...others.map((width) => width * squeeze)];
  const starts = chips.map(({ from }) => from);
  for (let nth = chips.length - 2; nth >= 0; nth--) {
    starts[nth] = Math.max(starts[nth] ?? 0, (starts[nth + 1] ?? 0) + (taken[nth + 1] ?? 0));
  }
  let end = room;
  return starts.map((start, nth) => (end = Math.min(start, end - (taken[nth] ?? 0))));
}
