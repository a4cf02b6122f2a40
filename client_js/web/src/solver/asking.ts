/** Requests to the solver's worker: one at a time, and a new one cancels the previous. */

import { type Answer, type Ask, isLast } from "./protocol.ts";

/** The part of a worker used here. */
export interface Port {
  send(ask: Ask): void;
  end(): void;
}

/** Starts a worker, which calls `told` with each answer, and `broke` on failure. */
export type Start = (told: (answer: Answer) => void, broke: () => void) => Port;

export class Solver {
  readonly #start: Start;
  #port: Port | null = null;
  /** Receives the answers to the current question; null without one. */
  #receive: ((answer: Answer) => void) | null = null;

  constructor(start: Start) {
    this.#start = start;
  }

  /**
   * Ask, and receive each answer. A busy worker is stopped first, and its question is answered as
   * failed, as it is if the worker breaks.
   *
   * @returns a function that cancels the question: no more answers arrive.
   */
  ask(question: Ask, receive: (answer: Answer) => void): () => void {
    const before = this.#receive;
    if (before !== null) {
      this.stop();
      before({ kind: "failed", message: "Something else was asked." });
    }
    this.#receive = receive;
    this.#port ??= this.#started();
    this.#port.send(question);
    return () => {
      // A newer question may be running by now.
      if (this.#receive === receive) this.stop();
    };
  }

  /** Cancel the question and free the worker's memory. */
  stop(): void {
    this.#receive = null;
    this.#port?.end();
    this.#port = null;
  }

  #started(): Port {
    return this.#start(
      (answer) => {
        const receive = this.#receive;
        if (isLast(answer)) this.#receive = null;
        receive?.(answer);
      },
      () => {
        const receive = this.#receive;
        this.stop();
        receive?.({ kind: "failed", message: "The solver broke." });
      },
    );
  }
}
