/** The routes of the page, and their paths. */

export type Route =
  | { screen: "home" }
  | { screen: "new" }
  | { screen: "settings" }
  | { screen: "account" }
  | { screen: "practice"; game: string }
  | { screen: "rules"; game: string }
  | { screen: "room"; code: string }
  | { screen: "watch"; code: string; key: string }
  | { screen: "dailies" }
  | { screen: "daily"; game: string }
  | { screen: "leaderboard"; game: string; day: number | null }
  | { screen: "run"; attempt: string; at: number; beside: string | null }
  | { screen: "ghost"; attempt: string }
  | { screen: "deal"; deal: string }
  | { screen: "missing" };

/** Screens that need no server. */
export const ALONE: ReadonlySet<Route["screen"]> = new Set([
  "practice",
  "rules",
  "settings",
  "missing",
]);

export const paths = {
  home: "/",
  newRace: "/new",
  settings: "/settings",
  account: "/account",
  practice: (game: string) => `/practice/${encodeURIComponent(game)}`,
  rules: (game: string) => `/rules/${encodeURIComponent(game)}`,
  room: (code: string) => `/r/${encodeURIComponent(code)}`,
  /** A room to watch, with its watch key. */
  watch: (code: string, key: string) =>
    `/watch/${encodeURIComponent(code)}/${encodeURIComponent(key)}`,
  dailies: "/daily",
  daily: (game: string) => `/daily/${encodeURIComponent(game)}`,
  leaderboard: (game: string, day?: number) =>
    `/leaderboard/${encodeURIComponent(game)}${day === undefined ? "" : `?day=${day}`}`,
  /** The same leaderboard, to share: its link preview shows a player's result. */
  result: (game: string, day: number, player: string) =>
    `/leaderboard/${encodeURIComponent(game)}?day=${day}&player=${encodeURIComponent(player)}`,
  deal: (deal: string) => `/deal/${encodeURIComponent(deal)}`,
  /** A race against a run, in practice. */
  ghost: (attempt: string) => `/run/${encodeURIComponent(attempt)}?race`,
  /** A run, from a time in milliseconds since its start, and beside another one. */
  run: (attempt: string, at = 0, beside: string | null = null) => {
    const query = new URLSearchParams({
      ...(at > 0 ? { at: String(Math.round(at)) } : {}),
      ...(beside === null ? {} : { beside }),
    });
    return `/run/${encodeURIComponent(attempt)}${query.size > 0 ? `?${query}` : ""}`;
  },
} as const;

/** The route of a path and its query. */
export function routeOf({ pathname, search }: { pathname: string; search: string }): Route {
  const [first, second, ...more] = pathname.split("/").filter(Boolean).map(decoded);
  const [third, ...rest] = more;
  if (first === "watch" && second !== undefined && third !== undefined && rest.length === 0) {
    return { screen: "watch", code: roomCode(second), key: third };
  }
  if (third !== undefined) return { screen: "missing" };
  if (first === undefined) return { screen: "home" };
  if ((first === "new" || first === "settings" || first === "account") && second === undefined) {
    return { screen: first };
  }
  if ((first === "practice" || first === "rules") && second !== undefined) {
    return { screen: first, game: second };
  }
  if (first === "daily") {
    return second === undefined ? { screen: "dailies" } : { screen: "daily", game: second };
  }
  if (first === "r" && second !== undefined) return { screen: "room", code: roomCode(second) };
  if (first === "leaderboard" && second !== undefined) {
    const day = new URLSearchParams(search).get("day") ?? "";
    return { screen: "leaderboard", game: second, day: /^\d{1,6}$/.test(day) ? Number(day) : null };
  }
  if (first === "deal" && second !== undefined) return { screen: "deal", deal: second };
  if (first === "run" && second !== undefined) {
    const query = new URLSearchParams(search);
    if (query.has("race")) return { screen: "ghost", attempt: second };
    const at = query.get("at") ?? "";
    const from = /^\d{1,9}$/.test(at) ? Number(at) : 0;
    return { screen: "run", attempt: second, at: from, beside: query.get("beside") };
  }
  return { screen: "missing" };
}

/** The history state of a page that shows this attempt's table. */
export function stateAt(attempt: string): object {
  return { table: attempt };
}

/** The attempt of a history state, or null. */
export function tableOf(state: unknown): string | null {
  if (typeof state !== "object" || state === null || !("table" in state)) return null;
  return typeof state.table === "string" ? state.table : null;
}

/** The room code in what was typed: in lower case, with spaces, or as the whole link. */
export function roomCode(typed: string): string {
  const last = typed.trim().split("/").at(-1) ?? "";
  return last.replace(/\s/g, "").toUpperCase();
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
