/**
 * Whether the player's identity is kept, as far as this browser knows without asking the server.
 */

import type { Client, Player, TextStorage } from "@samedeal/client";

const KEY = "samedeal.kept";

/** Known from the first paint on, so that the layout does not shift when a session opens. */
export class KeptIdentity {
  #player = $state.raw<string | null>(null);
  readonly #storage: TextStorage;

  constructor(client: Pick<Client, "player">, storage: TextStorage) {
    this.#storage = storage;
    this.#player = storage.getItem(KEY);
    client.player.subscribe((player) => {
      if (player !== null && player.id !== this.#player) this.#set(null);
    });
  }

  get known(): boolean {
    return this.#player !== null;
  }

  note(player: Player, kept: boolean): void {
    this.#set(kept ? player.id : null);
  }

  #set(player: string | null): void {
    if (player === this.#player) return;
    this.#player = player;
    if (player === null) this.#storage.removeItem(KEY);
    else this.#storage.setItem(KEY, player);
  }
}
