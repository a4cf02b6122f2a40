/** The player's own public page as a reactive value: streaks, averages and results. */

import { type ApiTypes, type Client, Refusal } from "@samedeal/client";
import { untrack } from "svelte";

type PlayerPage = ApiTypes.PlayerPage;

/** Milliseconds between the polls for a result that was just decided. */
const LOOKS = [1_000, 3_000, 6_000];

export class OwnPage {
  readonly #client: Pick<Client, "player">;
  #page = $state.raw<PlayerPage | null>(null);

  constructor(client: Pick<Client, "player">) {
    this.#client = client;
  }

  /** The last loaded page; null before the first load, or after the player changed. */
  get page(): PlayerPage | null {
    return this.#page?.player.id === this.#client.player.get()?.id ? this.#page : null;
  }

  game(game: string): ApiTypes.PlayedGame | undefined {
    return this.page?.games.find((played) => played.game === game);
  }

  /** Load the page. Never rejects: content that depends on it is omitted if it cannot be read. */
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

  /** Reload the page until it contains a daily's result, up to the number of polls. */
  loadWith(game: string, day: number): Promise<void> {
    return this.#loadUntil(game, ({ dailies }) =>
      dailies.days.some((played) => played.day === day),
    );
  }

  /** Do the same for a race's result. */
  loadWithRace(game: string, deal: string): Promise<void> {
    return this.#loadUntil(game, ({ races }) =>
      races.rounds.some((played) => played.deal === deal),
    );
  }

  async #loadUntil(game: string, has: (played: ApiTypes.PlayedGame) => boolean): Promise<void> {
    const found = () => {
      const played = this.game(game);
      return played !== undefined && has(played);
    };
    for (const wait of [0, ...LOOKS]) {
      // A tracked read would make a calling effect run again after every load, in an endless loop.
      if (untrack(found)) return;
      if (wait > 0) await new Promise((done) => setTimeout(done, wait));
      await this.load();
    }
  }
}
