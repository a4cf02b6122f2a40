/** The current emotes of a room's members, except muted players. */

import type { Client, Emoted, TextStorage } from "@samedeal/client";
import type { Settings } from "../../app/settings.svelte.ts";

/** How long an emote is shown, in milliseconds. */
export const SHOWN = 3_000;

const KEY = "samedeal.muted";
/** The most stored muted players; beyond that the oldest one is unmuted. */
const MOST = 200;

export class Emotes {
  /** Each player's displayed emote: the index in `EMOTES`. */
  shown = $state.raw<ReadonlyMap<string, number>>(new Map());
  /** Another player's last emote, for muting its sender. */
  last = $state.raw<Emoted | null>(null);
  #muted = $state.raw<ReadonlySet<string>>(new Set());
  readonly #client: Pick<Client, "emoted" | "player">;
  readonly #settings: Pick<Settings, "emotes">;
  readonly #storage: TextStorage;
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(
    client: Pick<Client, "emoted" | "player">,
    settings: Pick<Settings, "emotes">,
    storage: TextStorage,
  ) {
    this.#client = client;
    this.#settings = settings;
    this.#storage = storage;
    this.#muted = new Set(stored(storage.getItem(KEY)));
  }

  /** Show new emotes until the returned function is called. */
  listen(): () => void {
    // Subscribing calls back immediately with the last emote, which was sent before.
    let old = true;
    const stop = this.#client.emoted.subscribe((emoted) => {
      if (!old && emoted !== null) this.#show(emoted);
    });
    old = false;
    return () => {
      stop();
      this.#timers.forEach(clearTimeout);
      this.#timers.clear();
      this.shown = new Map();
      this.last = null;
    };
  }

  isMuted(player: string): boolean {
    return this.#muted.has(player);
  }

  /** Hide or show a player's emotes in this browser. */
  mute(player: string, muted: boolean): void {
    const others = [...this.#muted].filter((other) => other !== player);
    this.#muted = new Set(muted ? [...others, player] : others);
    if (muted) this.#hide(player);
    const kept = [...this.#muted].slice(-MOST);
    this.#storage.setItem(KEY, JSON.stringify(kept));
  }

  #show(emoted: Emoted): void {
    const { player, emote } = emoted;
    const own = player === this.#client.player.get()?.id;
    if (!own && (!this.#settings.emotes || this.#muted.has(player))) return;
    this.shown = new Map(this.shown).set(player, emote);
    if (!own) this.last = emoted;
    clearTimeout(this.#timers.get(player));
    this.#timers.set(
      player,
      setTimeout(() => this.#hide(player), SHOWN),
    );
  }

  #hide(player: string): void {
    clearTimeout(this.#timers.get(player));
    this.#timers.delete(player);
    this.shown = new Map([...this.shown].filter(([shown]) => shown !== player));
  }
}

/** Parse ids from stored JSON; empty if it is invalid. */
function stored(text: string | null): readonly string[] {
  try {
    const found: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}
