/** The server's time, for whatever shows it: readers are run again while it goes on. */

import { createSubscriber } from "svelte/reactivity";

const TICK = 250;

export class Clock {
  private readonly time: () => number;
  private readonly subscribe: () => void;

  /** `time` tells the server's time in Unix milliseconds. */
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
