/** The time played, which advances only while the board is shown and playable. */

/** Milliseconds between updates. */
const TICK = 250;

/** Milliseconds between two ticks beyond which the board was not shown in between. */
const GAP = 1_250;

/** It has no clock: the caller passes the time. */
export class Stopwatch {
  /** Milliseconds played. */
  elapsed = $state(0);
  /** The time of the last tick; null while time stands still. */
  #ticked: number | null = null;

  /**
   * Advance by the time since the last tick, at the milliseconds `now` of some clock. Time during a
   * pause or an interruption of the ticks does not count.
   */
  tick(now: number): void {
    // The first tick after a pause only starts the measurement.
    const passed = now - (this.#ticked ?? now);
    this.#ticked = now;
    if (passed < GAP) this.advance(passed);
  }

  /** Stop time until the next tick. */
  pause(): void {
    this.#ticked = null;
  }

  advance(milliseconds: number): void {
    this.elapsed += milliseconds;
  }

  /** Tick while the window is visible; return a function that stops this. */
  run(): () => void {
    const tick = () => (document.hidden ? this.pause() : this.tick(performance.now()));
    const timer = setInterval(tick, TICK);
    tick();
    return () => {
      clearInterval(timer);
      this.pause();
    };
  }
}
