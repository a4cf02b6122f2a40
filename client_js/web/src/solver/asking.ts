/** Asking the solver's worker: one question at a time, and the next one ends the one before. */

import { type Answer, type Ask, isLast } from "./protocol.ts";

/** A worker, as far as it is used here. */
export interface Port {
  send(ask: Ask): void;
  end(): void;
}

/** Starts a worker, which calls `told` with each answer, and `broke` if it fails. */
export type Start = (told: (answer: Answer) => void, broke: () => void) => Port;

export class Solver {
  readonly #start: Start;
  #port: Port | null = null;
  /** Receives the answers to the question that is being worked on; null if none is. */
  #receive: ((answer: Answer) => void) | null = null;

  constructor(start: Start) {
    this.#start = start;
  }

  /**
   * Ask, and receive each answer. A worker that is at something else is stopped first, whose
   * question is answered as failed; so is one whose worker breaks.
   *
   * @returns a function that takes the question back: no more answers come.
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
      if (this.#receive === receive) this.stop();
    };
  }

  /** Take back what was asked, and free the worker's memory. */
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
