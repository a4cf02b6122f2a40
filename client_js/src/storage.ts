/** Storage: of the token that authenticates the player, and of what else a browser keeps. */

import { type Readable, Store } from "./store.ts";

const KEY = "samedeal.token";

/** A place for one token. It is a secret: keep it where only this player's clients can read it. */
export interface TokenStorage {
  load(): string | null;
  /** Null deletes it. */
  save(token: string | null): void;
  /**
   * Call `run` as soon as no other client of this storage is becoming a new player. The returned
   * function ends the turn, or the wait for it. Left out by a storage that one client alone uses.
   */
  turn?(run: () => void): () => void;
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

/** Texts by their keys: the part of a browser's `Storage` that is used. */
export interface TextStorage {
  /** What its keys begin with where they are stored, if others may store theirs beside them. */
  readonly prefix?: string;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** The storages of a browser; it may have none, forbid them, or have null in their place. */
interface Browser {
  readonly localStorage?: TextStorage | null;
  readonly sessionStorage?: TextStorage | null;
}

/** The part of the Web Locks that is used; plain http and older browsers have none. */
interface Locks {
  request(name: string, options: { signal: AbortSignal }, run: () => unknown): Promise<unknown>;
}

/**
 * One of the browser's storages, as the only module that touches them: nothing throws here. What
 * the browser does not keep is kept in memory, until the page is closed.
 */
export class BrowserStorage implements TextStorage {
  readonly #name: keyof Browser;
  /** What the browser has refused; null is what it should have deleted. */
  readonly #refused = new Map<string, string | null>();
  readonly #keeps = new Store(true);
  readonly prefix: string;

  constructor(name: keyof Browser, prefix = "") {
    this.#name = name;
    this.prefix = prefix;
  }

  /** Whether the browser has kept all that it was given so far. */
  get keeps(): Readable<boolean> {
    return this.#keeps;
  }

  getItem(key: string): string | null {
    const refused = this.#refused.get(key);
    if (refused !== undefined) return refused;
    try {
      return this.#browsers.getItem(this.prefix + key);
    } catch {
      return null;
    }
  }

  /** Returns whether the browser keeps it. */
  setItem(key: string, value: string): boolean {
    return this.#change(key, value, (storage) => storage.setItem(this.prefix + key, value));
  }

  /** Returns whether the browser has deleted it. */
  removeItem(key: string): boolean {
    return this.#change(key, null, (storage) => storage.removeItem(this.prefix + key));
  }

  #change(key: string, value: string | null, change: (storage: TextStorage) => void): boolean {
    try {
      change(this.#browsers);
      return this.#refused.delete(key) || true;
    } catch {
      this.#refused.set(key, value);
      this.#keeps.set(false);
      return false;
    }
  }

  /** Throws if there is none, or it may not be used. */
  get #browsers(): TextStorage {
    const storage = (globalThis as Browser)[this.#name];
    if (!storage) throw new Error("This browser has no storage.");
    return storage;
  }
}

/** The token among other texts. */
export function tokenIn(texts: TextStorage): TokenStorage {
  return {
    load: () => texts.getItem(KEY),
    save: (token) => (token === null ? texts.removeItem(KEY) : texts.setItem(KEY, token)),
    turn: (run) => inTurn((texts.prefix ?? "") + KEY, run),
  };
}

/** Call `run` while no other tab of this browser has this turn; at once where there are no locks. */
function inTurn(name: string, run: () => void): () => void {
  const { navigator } = globalThis as { navigator?: { readonly locks?: Locks } };
  const turn = new AbortController();
  const { signal } = turn;
  const over = new Promise((end) => signal.addEventListener("abort", end));
  const begin = (): Promise<unknown> => {
    run();
    return over;
  };
  if (navigator?.locks === undefined) void begin();
  // Browsers that forbid storage refuse the lock too.
  else navigator.locks.request(name, { signal }, begin).catch(() => signal.aborted || run());
  return () => turn.abort();
}

/** The browser's storage where there is one that may be used, else memory. */
export function defaultStorage(): TokenStorage {
  return tokenIn(new BrowserStorage("localStorage"));
}
