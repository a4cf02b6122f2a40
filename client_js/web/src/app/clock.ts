/** The server's time and day as reactive values. */

import type { Client } from "@samedeal/client";
import { createSubscriber } from "svelte/reactivity";

/** Milliseconds between updates. */
const TICK = 250;

const DAY = 86_400_000;
/** Milliseconds after midnight until the server's day has certainly changed. */
const SETTLED = 250;
/** Milliseconds over which open pages spread their requests at midnight. */
const SPREAD = 750;

/** The server's time, and a notification of new measurements. */
type Source = Pick<Client, "now" | "status">;

export class Clock {
  readonly #source: Source;
  readonly #subscribe: () => void;
  readonly #subscribeDays: () => void;

  constructor(source: Source) {
    this.#source = source;
    this.#subscribe = createSubscriber((update) => {
      const timer = setInterval(update, TICK);
      return () => clearInterval(timer);
    });
    this.#subscribeDays = createSubscriber((update) => onNewDay(source, update));
  }

  /** The server's time in Unix milliseconds. */
  get now(): number {
    this.#subscribe();
    return this.#source.now();
  }

  /** The UTC day, counted from 1970-01-01; it changes within a second of midnight. */
  get today(): number {
    this.#subscribeDays();
    return dayAt(this.#source.now());
  }
}

/**
 * Call `run` on every new day by the server's clock, with a single timer.
 *
 * Each session measures the server's time again, which may reveal a new day: timers do not run
 * while the machine sleeps.
 *
 * @returns a function that stops it.
 */
export function onNewDay(source: Source, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let day = dayAt(source.now());
  const look = (): void => {
    const now = source.now();
    const before = day;
    day = dayAt(now);
    clearTimeout(timer);
    timer = setTimeout(look, DAY - (now % DAY) + SETTLED + SPREAD * Math.random());
    if (day !== before) run();
  };
  const unsubscribe = source.status.subscribe(look);
  return () => {
    clearTimeout(timer);
    unsubscribe();
  };
}

function dayAt(time: number): number {
  return Math.floor(time / DAY);
}
