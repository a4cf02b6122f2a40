/** The local clock: the one place that says what time it is (see `tests/house.test.ts`). */

/**
 * The local time in milliseconds, in Unix time as the machine had it when the program was started.
 *
 * It never jumps: whoever sets the machine's clock while a race is open, be it a person or a time
 * server, changes neither how long something has taken nor how long is left. In some browsers it
 * stands still while the machine sleeps; `Connection` measures the server's time against it, and
 * notices that.
 */
export function localTime(): number {
  return performance.timeOrigin + performance.now();
}
