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
