/** The guide of a game for who has not got it yet in this browser. */

import type { Move, Ruleset } from "../../../src/rules/ruleset.ts";

/** As many moves of cards in a row, none of which was refused, show that one has got it. */
const ENOUGH = 3;

export class Guide {
  readonly #key: string;
  readonly #storage: Pick<Storage, "setItem">;
  /** How many moves in a row. */
  #right = $state(0);

  constructor(game: string, storage: Pick<Storage, "getItem" | "setItem">) {
    this.#key = `samedeal.guided.${game}`;
    this.#storage = storage;
    this.#right = Number(storage.getItem(this.#key));
  }

  get wanted(): boolean {
    return this.#right < ENOUGH;
  }

  /** Cards were moved; those of the stock and the waste are dealt and turned over by one tap. */
  moved({ foundations, tableau }: Ruleset, { target }: Move): void {
    if (foundations.includes(target) || tableau.includes(target)) this.#note(this.#right + 1);
  }

  /** A tap, a drop or a key played nothing, since no such move is legal. */
  refused(): void {
    this.#note(0);
  }

  #note(right: number): void {
    if (!this.wanted) return;
    this.#right = right;
    this.#storage.setItem(this.#key, String(right));
  }
}
