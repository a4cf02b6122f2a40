/** Where the pips of a card are, on a face of 100 by 140. */

export interface Pip {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  /** Pips of the lower half stand on their heads. */
  readonly turned: boolean;
}

const LEFT = 34;
const MIDDLE = 50;
const RIGHT = 66;
const SIZE = 19;
const ACE_SIZE = 46;

/** Rows of pips as heights, and whether the row is a single pip or a pair; by rank from 2 to 10. */
const ROWS: readonly (readonly [height: number, pair: boolean][])[] = [
  [
    [28, false],
    [112, false],
  ],
  [
    [28, false],
    [70, false],
    [112, false],
  ],
  [
    [28, true],
    [112, true],
  ],
  [
    [28, true],
    [70, false],
    [112, true],
  ],
  [
    [28, true],
    [70, true],
    [112, true],
  ],
  [
    [28, true],
    [49, false],
    [70, true],
    [112, true],
  ],
  [
    [28, true],
    [49, false],
    [70, true],
    [91, false],
    [112, true],
  ],
  [
    [28, true],
    [56, true],
    [70, false],
    [84, true],
    [112, true],
  ],
  [
    [28, true],
    [42, false],
    [56, true],
    [84, true],
    [98, false],
    [112, true],
  ],
];

const PIPS: readonly (readonly Pip[])[] = [
  [{ x: MIDDLE, y: 70, size: ACE_SIZE, turned: false }],
  ...ROWS.map((rows) =>
    rows.flatMap(([y, pair]) =>
      (pair ? [LEFT, RIGHT] : [MIDDLE]).map((x) => ({ x, y, size: SIZE, turned: y > 70 })),
    ),
  ),
];

/** The pips of a rank, 0 (Ace) to 9 (ten); court cards have none. */
export function pipsOf(rank: number): readonly Pip[] {
  return PIPS[rank] ?? [];
}
