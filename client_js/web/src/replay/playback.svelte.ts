/** The playback position of a replay: a time that advances and can be moved. It has no clock. */

/** Playback speeds relative to the original. */
export const SPEEDS = [1, 4, 16] as const;

export class Playback {
  /** Milliseconds since the start of the run. */
  time = $state(0);
  playing = $state(false);
  speed = $state<(typeof SPEEDS)[number]>(1);
  readonly duration: number;
  readonly #stops: readonly number[];

  /**
   * @param times the times of events in milliseconds, which steps move between. Events at the same
   * time are one step.
   * @param duration the end of the replay, not before the last event.
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

  /** Move to a time within the replay; playback continues if active. */
  seek(time: number): void {
    this.time = Math.min(Math.max(0, time), this.duration);
    if (this.ended) this.playing = false;
  }

  /** Pause, and move to the next or previous event. */
  step(direction: 1 | -1): void {
    this.playing = false;
    const next =
      direction === 1
        ? this.#stops.find((stop) => stop > this.time)
        : this.#stops.findLast((stop) => stop < this.time);
    if (next !== undefined) this.seek(next);
  }

  /** Advance by the elapsed milliseconds, if playing. */
  advance(elapsed: number): void {
    if (this.playing) this.seek(this.time + elapsed * this.speed);
  }
}
