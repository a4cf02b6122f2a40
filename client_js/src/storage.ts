/** Storage of the player's authentication token and of a browser's other texts. */

import { type Readable, Store } from "./store.ts";

const KEY = "samedeal.token";

/** A place for one token. It is a secret: only this player's clients may read it. */
export interface TokenStorage {
  load(): string | null;
  /** Null deletes it. */
  save(token: string | null): void;
  /**
   * Call `run` once no other client of this storage is creating a player. The returned function
   * ends the turn, or the wait for it. Storages with a single client omit it.
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

/** Texts by key: the part of a browser's `Storage` used here. */
export interface TextStorage {
  /** A prefix of its keys, for storages shared with others. */
  readonly prefix?: string;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** A browser's storages; they may be missing, forbidden, or null. */
interface Browser {
  readonly localStorage?: TextStorage | null;
  readonly sessionStorage?: TextStorage | null;
}

/** The part of the Web Locks API used here, missing over plain HTTP and in older browsers. */
interface Locks {
  request(name: string, options: { signal: AbortSignal }, run: () => unknown): Promise<unknown>;
}

/**
 * One of the browser's storages. This is the only module that touches them, and nothing throws
 * here. Values that the browser refuses are kept in memory until the page is closed.
 */
export class BrowserStorage implements TextStorage {
  readonly #name: keyof Browser;
  /** The values that the browser refused to store; null for a refused deletion. */
  readonly #refused = new Map<string, string | null>();
  readonly #keeps = new Store(true);
  readonly prefix: string;

  constructor(name: keyof Browser, prefix = "") {
    this.#name = name;
    this.prefix = prefix;
  }

  /** Whether the browser has stored every value so far. */
  get keeps(): Readable<boolean> {
    return this.#keeps;
  }

  getItem(key: string): string | null {
    const refused = this.#refused.get(key);
    // The refused value is newer than the one in the browser.
    if (refused !== undefined) return refused;
    try {
      return this.#browsers.getItem(this.prefix + key);
    } catch {
      return null;
    }
  }

  /** @returns whether the browser stored the value. */
  setItem(key: string, value: string): boolean {
    return this.#change(key, value, (storage) => storage.setItem(this.prefix + key, value));
  }

  /** @returns whether the browser deleted the value. */
  removeItem(key: string): boolean {
    return this.#change(key, null, (storage) => storage.removeItem(this.prefix + key));
  }

  #change(key: string, value: string | null, change: (storage: TextStorage) => void): boolean {
    try {
      change(this.#browsers);
      // The stored value supersedes an earlier refused one.
      return this.#refused.delete(key) || true;
    } catch {
      this.#refused.set(key, value);
      this.#keeps.set(false);
      return false;
    }
  }

  /** @throws if there is no such storage, or its use is forbidden. */
  get #browsers(): TextStorage {
    const storage = (globalThis as Browser)[this.#name];
    if (!storage) throw new Error("This browser has no storage.");
    return storage;
  }
}

export function tokenIn(texts: TextStorage): TokenStorage {
  return {
    load: () => texts.getItem(KEY),
    save: (token) => (token === null ? texts.removeItem(KEY) : texts.setItem(KEY, token)),
    turn: (run) => inTurn((texts.prefix ?? "") + KEY, run),
  };
}

/** Call `run` while no other tab of this browser has this turn, or immediately without locks. */
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

/** Return the browser's storage if it can be used, otherwise memory. */
export function defaultStorage(): TokenStorage {
  return tokenIn(new BrowserStorage("localStorage"));
}
