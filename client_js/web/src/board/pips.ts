/** Where the pips of a card are, on a face of 100 by 140. */

export interface Pip {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  /** Pips of the lower half stand on their heads. */
  readonly turned: boolean;
}

/** The heights of the rows that have two pips, and of those that have one. */
interface Rows {
  readonly pairs: readonly number[];
  readonly singles: readonly number[];
}

const LEFT = 33;
const MIDDLE = 50;
const RIGHT = 67;
const HALF = 70;
const SIZE = 19;
const ACE: Pip = { x: MIDDLE, y: HALF, size: 50, turned: false };

/** By rank, from 2 to 10. */
const ROWS: readonly Rows[] = [
  { pairs: [], singles: [36, 104] },
  { pairs: [], singles: [36, 70, 104] },
  { pairs: [36, 104], singles: [] },
  { pairs: [36, 104], singles: [70] },
  { pairs: [36, 70, 104], singles: [] },
  { pairs: [36, 70, 104], singles: [53] },
  { pairs: [36, 70, 104], singles: [53, 87] },
  { pairs: [33, 58, 82, 107], singles: [70] },
  { pairs: [33, 58, 82, 107], singles: [45, 95] },
];

const PIPS: readonly (readonly Pip[])[] = [
  [ACE],
  ...ROWS.map(({ pairs, singles }) => [
    ...pairs.flatMap((y) => [pip(LEFT, y), pip(RIGHT, y)]),
    ...singles.map((y) => pip(MIDDLE, y)),
  ]),
];

/** The pips of a rank, 0 (Ace) to 9 (ten); court cards have none. */
export function pipsOf(rank: number): readonly Pip[] {
  return PIPS[rank] ?? [];
}

function pip(x: number, y: number): Pip {
  return { x, y, size: SIZE, turned: y > HALF };
}
