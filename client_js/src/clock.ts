/** The local clock, the only source of the time (see `tests/house.test.ts`). */

/**
 * The local time in milliseconds, based on the machine's Unix time at program start.
 *
 * It is monotonic: a person or time server that sets the machine's clock during a race changes
 * neither elapsed nor remaining times. In some browsers it stands still while the machine sleeps;
 * `Connection` detects that when it measures the server's time against it.
 */
export function localTime(): number {
  return performance.timeOrigin + performance.now();
}

/** The largest difference in milliseconds that rounding can cause between two offsets. */
const ROUNDED = 2;

/** The server's time, estimated from its answers. */
export class ServerClock {
  readonly #local: () => number;
  /** Server time minus local time, and the round trip of that measurement, in milliseconds. */
  #measured = { offset: 0, roundTrip: Infinity };

  /** @param local a monotonic clock in milliseconds. */
  constructor(local: () => number) {
    this.#local = local;
  }

  /** The estimated server time in Unix milliseconds. */
  now(): number {
    return this.#local() + this.#measured.offset;
  }

  /** Begin a session, whose first measurement counts: the machine may have slept before it. */
  begin(): void {
    this.#measured = { ...this.#measured, roundTrip: Infinity };
  }

  /**
   * Keep the offset measured over the session's shortest round trip, which is the most accurate.
   * Replace it if a later measurement contradicts it: the local clock stood still during sleep, or
   * drifted. If the session does not survive the sleep, the next welcome measures the offset
   * anyway.
   *
   * @param asked the local time of the request that the server answered with its time.
   */
  measure(serverNow: number, asked: number): void {
    const now = this.#local();
    const roundTrip = now - asked;
    const offset = Math.round(serverNow + roundTrip / 2 - now);
    const apart = Math.abs(offset - this.#measured.offset);
    const bounds = (roundTrip + this.#measured.roundTrip) / 2 + ROUNDED;
    if (roundTrip <= this.#measured.roundTrip || apart > bounds) {
      this.#measured = { offset, roundTrip };
    }
  }
}
