/**
 * The first segments of the paths of the page's screens, the one list of them: routes, the service
 * worker and the build take it from here, and a test compares the server's (`web/pages.py`). What
 * else lies below the site's root may be another site's.
 */
export const SEGMENTS = [
  "",
  "new",
  "r",
  "watch",
  "daily",
  "leaderboard",
  "practice",
  "rules",
  "run",
  "deal",
  "settings",
  "archive",
  "player",
  "account",
  "c",
  "circles",
  "o",
  "own",
] as const;

/** That of the screen for operators: only some servers have it, and it needs the network. */
export const OPERATORS = "admin";

export type Segment = (typeof SEGMENTS)[number] | typeof OPERATORS;
