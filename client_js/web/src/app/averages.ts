/** The player's average and best numbers of cards home, from this browser's storage. */

import { games, type TextStorage } from "@samedeal/client";

/** The number of stored results per game. */
const MAX_STORED = 30;

/** A finished game: its attempt, and its number of cards home. */
type Played = readonly [attempt: string, home: number];

export class Averages {
  readonly #storage: TextStorage;

  constructor(storage: TextStorage) {
    this.#storage = storage;
  }

  /** Store a game once; return the average of the earlier ones, or null for the first. */
  note(game: string, attempt: string, home: number): number | null {
    const played = this.#played(game);
    const at = played.findIndex(([id]) => id === attempt);
    const before = at < 0 ? played : played.slice(0, at);
    if (at < 0) {
      const kept = [...played, [attempt, home] as const].slice(-MAX_STORED);
      this.#storage.setItem(keyOf(game), JSON.stringify(kept));
    }
    return averageOf(before);
  }

  /** Whether any game was finished in this browser. */
  get any(): boolean {
    return games.some(({ id }) => this.#played(id).length > 0);
  }

  /** Return the number of games finished in this browser, as far as they are stored. */
  plays(game: string): number {
    return this.#played(game).length;
  }

  /** Return the average of all games; null until there are two. */
  usual(game: string): number | null {
    const played = this.#played(game);
    return played.length > 1 ? averageOf(played) : null;
  }

  /** Return the most cards home in any game; null until there are two. */
  best(game: string): number | null {
    const played = this.#played(game);
    return played.length > 1 ? Math.max(...played.map(([, home]) => home)) : null;
  }

  #played(game: string): readonly Played[] {
    return readPlayed(this.#storage.getItem(keyOf(game)));
  }
}

/** Parse the games from stored JSON, dropping malformed ones. */
export function readPlayed(text: string | null): readonly Played[] {
  try {
    const found: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found.filter(isPlayed) : [];
  } catch {
    return [];
  }
}

function isPlayed(found: unknown): found is Played {
  return Array.isArray(found) && typeof found[0] === "string" && Number.isInteger(found[1]);
}

function averageOf(played: readonly Played[]): number | null {
  if (played.length === 0) return null;
  return Math.round(played.reduce((sum, [, home]) => sum + home, 0) / played.length);
}

function keyOf(game: string): string {
  return `samedeal.played.${game}`;
}
