/** The player's own public page: streaks, averages and what was played, as a reactive value. */

import { type ApiTypes, type Client, Refusal } from "@samedeal/client";
import { untrack } from "svelte";

type PlayerPage = ApiTypes.PlayerPage;

/** Milliseconds between two looks for a result that was only just decided. */
const LOOKS = [1_000, 3_000, 6_000];

export class OwnPage {
  readonly #client: Pick<Client, "player">;
  #page = $state.raw<PlayerPage | null>(null);

  constructor(client: Pick<Client, "player">) {
    this.#client = client;
  }

  /** As last read; null if it is not read yet, or another player's. */
  get page(): PlayerPage | null {
    return this.#page?.player.id === this.#client.player.get()?.id ? this.#page : null;
  }

  game(game: string): ApiTypes.PlayedGame | undefined {
    return this.page?.games.find((played) => played.game === game);
  }

  /** Read it anew. Never rejects: what hangs on it is left out if it cannot be read. */
  async load(): Promise<void> {
    const player = this.#client.player.get();
    if (player === null) return;
    const { api } = await import("./publicApi.ts").catch(() => ({ api: null }));
    try {
      this.#page = (await api?.player(player.id)) ?? this.#page;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }

  /** Read it anew until the result of a daily is on it, or it has been looked at often enough. */
  async loadWith(game: string, day: number): Promise<void> {
    const has = () => this.game(game)?.dailies.days.some((played) => played.day === day) ?? false;
    for (const wait of [0, ...LOOKS]) {
      // An effect that calls this would run again whenever the page is read, and so without end.
      if (untrack(has)) return;
      if (wait > 0) await new Promise((done) => setTimeout(done, wait));
      await this.load();
    }
  }
}
