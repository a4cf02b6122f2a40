/** Storage of the token that authenticates the player. */

const KEY = "samedeal.token";

/** A place for one token. It is a secret: keep it where only this player's clients can read it. */
export interface TokenStorage {
  load(): string | null;
  /** Null deletes it. */
  save(token: string | null): void;
}

/** Storage in memory: the token lasts as long as the process. */
export function memoryStorage(token: string | null = null): TokenStorage {
  return {
    load: () => token,
    save: (next) => {
      token = next;
    },
  };
}

/** The part of the browser's `localStorage` that is used here. */
interface TextStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** The browser's storage where there is one that may be used, else memory. */
export function defaultStorage(): TokenStorage {
  try {
    const { localStorage } = globalThis as { localStorage?: TextStorage };
    if (localStorage === undefined) return memoryStorage();
    localStorage.getItem(KEY);
    return {
      load: () => localStorage.getItem(KEY),
      save: (token) =>
        token === null ? localStorage.removeItem(KEY) : localStorage.setItem(KEY, token),
    };
  } catch {
    // Browsers throw here where the player has forbidden storage: then be a guest for this visit.
    return memoryStorage();
  }
}
