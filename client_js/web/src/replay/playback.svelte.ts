/** The position in a replay: a time that advances, and can be moved. It has no clock of its own. */

/** How many times faster than it was played. */
export const SPEEDS = [1, 4, 16] as const;

export class Playback {
  /** Milliseconds since the start of the run. */
  time = $state(0);
  playing = $state(false);
  speed = $state<(typeof SPEEDS)[number]>(1);
  readonly duration: number;
  readonly #stops: readonly number[];

  /**
   * @param times when something happens, in milliseconds: a step goes from one to the next. Moves
   * at the same time are one step.
   * @param duration when the replay ends, not before the last of them.
   */
  constructor(times: readonly number[], duration: number) {
    this.#stops = [...new Set([0, ...times, duration])].sort((a, b) => a - b);
    this.duration = duration;
  }

  get ended(): boolean {
    return this.time >= this.duration;
  }

  /** Play or pause; at the end, play from the start. */
  toggle(): void {
    if (!this.playing && this.ended) this.time = 0;
    this.playing = !this.playing;
  }

  /** Go to a time, or as near to it as there is one; it plays on if it does. */
  seek(time: number): void {
    this.time = Math.min(Math.max(0, time), this.duration);
    if (this.ended) this.playing = false;
  }

  /** Pause, and go to the next or the previous time at which something happens. */
  step(direction: 1 | -1): void {
    this.playing = false;
    const next =
      direction === 1
        ? this.#stops.find((stop) => stop > this.time)
        : this.#stops.findLast((stop) => stop < this.time);
    if (next !== undefined) this.seek(next);
  }

  /** Let so many milliseconds pass, if it plays. */
  advance(elapsed: number): void {
    if (this.playing) this.seek(this.time + elapsed * this.speed);
  }
}
