/** The waits between attempts to open a session. */

/** The window, in milliseconds, over which clients of a failed node spread their first attempts. */
const FIRST_WAIT = 1_000;
const MIN_WAIT = 200;
const QUICK_WAIT = 450;
const QUICK_TRIES = 3;
const MAX_WAIT = 10_000;

/**
 * Return the wait before the next attempt, in milliseconds: exponential backoff with jitter, so
 * that clients of a failed node do not all reconnect together. The first few attempts fall within
 * two seconds in total, because another node may take over.
 *
 * @param penalized whether the server closed the session for flooding or malformed messages.
 * @param chance a random number in [0, 1).
 * @param most the longest wait.
 */
export function waitBefore(
  failures: number,
  penalized: boolean,
  chance: number,
  most = MAX_WAIT,
): number {
  if (failures === 0 && !penalized) return chance * FIRST_WAIT;
  const longest = penalized
    ? most
    : Math.min(most, QUICK_WAIT * 2 ** Math.max(0, failures + 1 - QUICK_TRIES));
  return MIN_WAIT + chance * (longest - MIN_WAIT);
}
