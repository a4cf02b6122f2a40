/**
 * The first path segments of the page's screens. This is the single list for routes, service worker
 * and build; a test compares the server's (`web/pages.py`). Other paths below the site's root may
 * belong to another site.
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
  "statistics",
] as const;

/** The segment of the operators' screen: only some servers have it, and it needs the network. */
export const OPERATORS = "admin";

export type Segment = (typeof SEGMENTS)[number] | typeof OPERATORS;
