/** A list of moves with their scores. */

import { type Salt, noiseOf } from "./noise.ts";
import { numberOf } from "./encoding.ts";

/** More moves than any position has. */
export const MOST_MOVES = 512;

/** Separates the score from the move's number in one combined number. */
const SCORE = 2 ** 40;

export class MoveList {
  size = 0;
  readonly moves = new Int32Array(MOST_MOVES);
  private readonly scores = new Int32Array(MOST_MOVES);
  private readonly keys = new Float64Array(MOST_MOVES);

  clear(): void {
    this.size = 0;
  }

  add(move: number, score: number): void {
    this.moves[this.size] = move;
    this.scores[this.size] = score;
    this.size += 1;
  }

  keep(holds: (move: number) => boolean): void {
    const { size, moves, scores } = this;
    this.size = 0;
    for (let nth = 0; nth < size; nth++) {
      if (holds(moves[nth]!)) this.add(moves[nth]!, scores[nth]!);
    }
  }

  /** Sort by ascending score, with noise added if there is a salt. */
  sort(salt: Salt | null): void {
    const { size, moves, scores, keys } = this;
    for (let nth = 0; nth < size; nth++) {
      const move = moves[nth]!;
      let key = scores[nth]! * SCORE + numberOf(move);
      if (salt !== null) key += noiseOf(key, salt) * SCORE;
      let at = nth;
      for (; at > 0 && keys[at - 1]! > key; at--) {
        keys[at] = keys[at - 1]!;
        moves[at] = moves[at - 1]!;
      }
      keys[at] = key;
      moves[at] = move;
    }
  }
}
