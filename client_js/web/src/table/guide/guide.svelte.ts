/** The guide of a game, for players still learning it in this browser. */

import type { Move, Ruleset } from "../../../../src/rules/ruleset.ts";

/** A game counts as learnt after this number of successive accepted moves. */
const ENOUGH = 3;

export class Guide {
  readonly #key: string;
  readonly #storage: Pick<Storage, "setItem">;
  /** The number of successive moves. */
  #right = $state(0);

  constructor(game: string, storage: Pick<Storage, "getItem" | "setItem">) {
    this.#key = `samedeal.guided.${game}`;
    this.#storage = storage;
    this.#right = Number(storage.getItem(this.#key));
  }

  get wanted(): boolean {
    return this.#right < ENOUGH;
  }

  /** Count a move of cards; dealing and turning over the waste, single taps, do not count. */
  moved({ foundations, tableau }: Ruleset, { target }: Move): void {
    if (foundations.includes(target) || tableau.includes(target)) this.#note(this.#right + 1);
  }

  /** Reset the count, because a tap, a drop or a key led to no legal move. */
  refused(): void {
    this.#note(0);
  }

  #note(right: number): void {
    // A game once learnt stays learnt.
    if (!this.wanted) return;
    this.#right = right;
    this.#storage.setItem(this.#key, String(right));
  }
}
