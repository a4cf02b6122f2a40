/** The server's time as a reactive value. */

import { createSubscriber } from "svelte/reactivity";

/** Milliseconds between updates. */
const TICK = 250;

export class Clock {
  private readonly time: () => number;
  private readonly subscribe: () => void;

  /** `time` returns the server's time in Unix milliseconds. */
  constructor(time: () => number) {
    this.time = time;
    this.subscribe = createSubscriber((update) => {
      const timer = setInterval(update, TICK);
      return () => clearInterval(timer);
    });
  }

  get now(): number {
    this.subscribe();
    return this.time();
  }
}
