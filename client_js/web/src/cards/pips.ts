/** The pips of a card, on a face of 240 by 336. */

export interface Pip {
  readonly x: number;
  readonly y: number;
  /** Its height and width. */
  readonly size: number;
  /** Pips of the lower half are upside down. */
  readonly turned: boolean;
}

const LEFT = 84;
const MIDDLE = 120;
const RIGHT = 156;
const HALF = 168;
const SIZE = 48;
/** Cards with many pips have smaller ones. */
const CROWDED = 43;

/** The heights of the rows with two pips, and of those with one; by rank, from 2. */
const ROWS: readonly (readonly [pairs: readonly number[], singles: readonly number[]])[] = [
  [[], [76, 260]],
  [[], [76, 168, 260]],
  [[76, 260], []],
  [[76, 260], [168]],
  [[76, 168, 260], []],
  [[76, 168, 260], [122]],
  [
    [76, 168, 260],
    [122, 214],
  ],
  [[68, 135, 201, 268], [168]],
  [
    [68, 135, 201, 268],
    [101.5, 234.5],
  ],
];

const ACE: Pip = { x: MIDDLE, y: HALF, size: 128, turned: false };

const PIPS: readonly (readonly Pip[])[] = [
  [ACE],
  ...ROWS.map(([pairs, singles]) => {
    const size = pairs.length > 3 ? CROWDED : SIZE;
    const pip = (x: number, y: number): Pip => ({ x, y, size, turned: y > HALF });
    return [
      ...pairs.flatMap((y) => [pip(LEFT, y), pip(RIGHT, y)]),
      ...singles.map((y) => pip(MIDDLE, y)),
    ];
  }),
];

/** Return the pips of a rank, 0 (Ace) to 9 (ten); courts have none. */
export function pipsOf(rank: number): readonly Pip[] {
  return PIPS[rank] ?? [];
}
