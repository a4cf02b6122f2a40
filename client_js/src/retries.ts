/** Asking again what the server could not answer, with its store away or too much to do. */

import { type Surroundings, waitBefore } from "./connection.ts";
import { type Readable, Store } from "./store.ts";

/**
 * No pause in an open session is longer, in milliseconds, unless the server says so: when its store
 * is back, all play again within five seconds.
 */
const LONGEST_PAUSE = 4_000;

/** Everything that waits to be asked again. */
export class Retries {
  readonly #surroundings: Surroundings;
  readonly #waiting = new Set<Retry>();
  readonly #stalled = new Store(false);

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** Whether anything waits to be asked again, or was and has no answer yet. */
  get stalled(): Readable<boolean> {
    return this.#stalled;
  }

  /** Something that may have to be asked again. */
  retry(): Retry {
    const retry: Retry = new Retry(this.#surroundings, (waits) => {
      if (waits) this.#waiting.add(retry);
      else this.#waiting.delete(retry);
      this.#stalled.set(this.#waiting.size > 0);
    });
    return retry;
  }
}

/** One thing that is asked again, after a pause that grows from time to time as that of a dial does. */
export class Retry {
  readonly #surroundings: Surroundings;
  readonly #waits: (waits: boolean) => void;
  #failures = 0;
  #cancel: () => void = () => undefined;

  constructor(surroundings: Surroundings, waits: (waits: boolean) => void) {
    this.#surroundings = surroundings;
    this.#waits = waits;
  }

  /** It could not be answered: run this after `wait` ms as the server said, or, if 0, the pause. */
  later(run: () => void, wait: number): void {
    const { after, random } = this.#surroundings;
    this.#cancel();
    this.#cancel = after(wait || waitBefore(this.#failures, false, random(), LONGEST_PAUSE), run);
    this.#failures += 1;
    this.#waits(true);
  }

  /** It was answered, or nobody wants it any more. */
  settle(): void {
    this.#cancel();
    this.#failures = 0;
    this.#waits(false);
  }
}
