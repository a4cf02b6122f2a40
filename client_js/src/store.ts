/** Observable values that follow the Svelte store contract. */

/** A value with subscriptions: `run` is called immediately and at every change. */
export interface Readable<T> {
  get(): T;
  subscribe(run: (value: T) => void): () => void;
}

/** A value that its owner sets. */
export class Store<T> implements Readable<T> {
  #value: T;
  readonly #subscribers = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get(): T {
    return this.#value;
  }

  set(value: T): void {
    if (value === this.#value) return;
    this.#value = value;
    for (const run of [...this.#subscribers]) run(value);
  }

  subscribe(run: (value: T) => void): () => void {
    // The same function may subscribe twice: each subscription has its own wrapper.
    const subscriber = (value: T): void => run(value);
    this.#subscribers.add(subscriber);
    run(this.#value);
    return () => this.#subscribers.delete(subscriber);
  }
}

/**
 * Wait until a value other than null satisfies a predicate; return that value.
 *
 * @param signal ends the wait with its reason as the error, for example
 * `AbortSignal.timeout(10_000)`.
 */
export async function until<T>(
  store: Readable<T | null>,
  passes: (value: T) => boolean,
  signal?: AbortSignal,
): Promise<T> {
  let stop = (): void => undefined;
  let abort = (): void => undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      abort = () => reject(signal?.reason as Error);
      if (signal?.aborted) abort();
      signal?.addEventListener("abort", abort);
      stop = store.subscribe((value) => {
        if (value !== null && passes(value)) resolve(value);
      });
    });
  } finally {
    stop();
    signal?.removeEventListener("abort", abort);
  }
}
