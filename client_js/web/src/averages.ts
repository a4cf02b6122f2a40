/** How many cards this browser's player usually brings home, by game. */

const KEPT = 30;

/** A game that is over: its attempt, and the cards that were home. */
type Played = readonly [attempt: string, home: number];

export class Averages {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** The average of the games before this one, which counts from now on; null if it is the first. */
  note(game: string, attempt: string, home: number): number | null {
    const played = this.#played(game);
    const at = played.findIndex(([id]) => id === attempt);
    const before = at < 0 ? played : played.slice(0, at);
    if (at < 0) {
      const kept = [...played, [attempt, home] as const].slice(-KEPT);
      this.#storage.setItem(keyOf(game), JSON.stringify(kept));
    }
    return averageOf(before);
  }

  /** The average of all games; null until there are two. */
  usual(game: string): number | null {
    const played = this.#played(game);
    return played.length > 1 ? averageOf(played) : null;
  }

  #played(game: string): readonly Played[] {
    return readPlayed(this.#storage.getItem(keyOf(game)));
  }
}

/** The games in a text; what is not one is left out. */
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
