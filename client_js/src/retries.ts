/** Retries of temporarily refused commands: the store is unavailable, or the server overloaded. */

import { waitBefore } from "./backoff.ts";
import type { Surroundings } from "./connection.ts";
import { type Readable, Store } from "./store.ts";

/**
 * The longest backoff in an open session, in milliseconds, unless the server asks for more. All
 * players can continue within five seconds of the store's return.
 */
const MAX_BACKOFF = 4_000;

export class Retries {
  readonly #surroundings: Surroundings;
  readonly #pending = new Set<Retry>();
  readonly #stalled = new Store(false);

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** Whether any retry is scheduled or in flight. */
  get stalled(): Readable<boolean> {
    return this.#stalled;
  }

  /** Create a retry for one operation, not scheduled yet. */
  retry(): Retry {
    const retry: Retry = new Retry(this.#surroundings, (pending) => {
      if (pending) this.#pending.add(retry);
      else this.#pending.delete(retry);
      this.#stalled.set(this.#pending.size > 0);
    });
    return retry;
  }
}

/** Retries one operation, with the same exponential backoff as reconnecting. */
export class Retry {
  readonly #surroundings: Surroundings;
  readonly #onChange: (pending: boolean) => void;
  #failures = 0;
  #cancel: () => void = () => undefined;

  constructor(surroundings: Surroundings, onChange: (pending: boolean) => void) {
    this.#surroundings = surroundings;
    this.#onChange = onChange;
  }

  /** Schedule `run` after `wait` milliseconds, as the server asked, or after the backoff if 0. */
  schedule(run: () => void, wait: number): void {
    const { after, random } = this.#surroundings;
    this.#cancel();
    this.#cancel = after(wait || waitBefore(this.#failures, false, random(), MAX_BACKOFF), run);
    this.#failures += 1;
    this.#onChange(true);
  }

  /** Cancel the schedule and reset the backoff after an answer, or when none is needed. */
  settle(): void {
    this.#cancel();
    this.#failures = 0;
    this.#onChange(false);
  }
}
