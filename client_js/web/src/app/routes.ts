/** The page's routes and their paths. */

import { ROOT } from "../kit/root.ts";
import type { Segment } from "../kit/segments.ts";
import { type Group, SCOPES, type Scope } from "./boards.ts";

/** The terms in the query of a leaderboard's address. */
interface BoardQuery {
  /** The number of the period; the current one if null. */
  readonly day: number | null;
  readonly scope: Scope;
  /** The player's own if null. */
  readonly group: Group | null;
  /** The variant of the best runs; null for the variant of the game's dailies. */
  readonly rules: string | null;
}

export type Route =
  | { screen: "home" }
  | { screen: "new"; game?: string; rules?: string }
  | { screen: "settings" }
  | { screen: "account" }
  | { screen: "alone" }
  | { screen: "practice"; game: string; rules?: string }
  | { screen: "known"; game: string; deal: string; rules: string; beat: string }
  | { screen: "statistics" }
  | { screen: "rules"; game: string }
  | { screen: "room"; code: string }
  | { screen: "watch"; code: string; key: string }
  | { screen: "dailies" }
  | { screen: "daily"; game: string }
  | ({ screen: "leaderboard"; game: string } & BoardQuery)
  | { screen: "run"; attempt: string; at: number; beside: string | null }
  | { screen: "ghost"; attempt: string }
  | { screen: "deal"; deal: string }
  | { screen: "play"; deal: string }
  | { screen: "line"; deal: string }
  | { screen: "archive"; month: string | null }
  | { screen: "day"; date: string }
  | { screen: "player"; player: string }
  | { screen: "operators"; page: OperatorPage; about: string }
  | { screen: "challenge"; challenge: string }
  | { screen: "challenging"; player: string | null; circle: string | null }
  | { screen: "circles"; page: CirclePage; about: string }
  | { screen: "own"; game: string | null; rules: string; name: string }
  | { screen: "missing" };

/** The list of the player's circles, one circle by its id, or the target of an invitation link. */
export type CirclePage = "all" | "one" | "invitation";

/** The operators' pages; some are about a player, a room or a run. */
export type OperatorPage = "cases" | "players" | "rooms" | "acts" | "player" | "room" | "run";

const ABOUT_ONE: readonly OperatorPage[] = ["player", "room", "run"];
const LISTS: readonly OperatorPage[] = ["players", "rooms", "acts"];

/** Screens that need no server. */
export const ALONE: ReadonlySet<Route["screen"]> = new Set([
  "alone",
  "practice",
  "statistics",
  "known",
  "rules",
  "own",
  "settings",
  "missing",
]);

export const paths = {
  home: `${ROOT}/`,
  newRace: `${ROOT}/new`,
  ownRace: (game: string, rules: string) => `${ROOT}/new?game=${game}&rules=${readable(rules)}`,
  settings: `${ROOT}/settings`,
  account: `${ROOT}/account`,
  statistics: `${ROOT}/statistics`,
  /** All games to practise. */
  alone: `${ROOT}/practice`,
  practice: (game: string) => `${ROOT}/practice/${encodeURIComponent(game)}`,
  /** An unfinished practice game of this variant, by default the last one, or else a new deal. */
  practise: (game: string, rules = "") =>
    `${ROOT}/practice/${encodeURIComponent(game)}?rules=${readable(rules)}`,
  /**
   * A known deal to practise, by number or deck; without one, the page with the input field. The
   * win to beat is in milliseconds and moves.
   */
  known: (
    game: string,
    deal = "",
    rules = "",
    beat: { readonly time: number; readonly moves: number } | null = null,
  ) =>
    `${ROOT}/practice/${encodeURIComponent(game)}?deal=${encodeURIComponent(deal)}` +
    (rules && `&rules=${readable(rules)}`) +
    (beat === null ? "" : `&beat=${beat.time}.${beat.moves}`),
  rules: (game: string) => `${ROOT}/rules/${encodeURIComponent(game)}`,
  own: (game = "", rules = "", name = "") => {
    const query = [rules && `rules=${readable(rules)}`, name && `name=${encodeURIComponent(name)}`];
    const more = query.filter(Boolean).join("&");
    return `${ROOT}/own${game && `/${encodeURIComponent(game)}`}${more && `?${more}`}`;
  },
  room: (code: string) => `${ROOT}/r/${encodeURIComponent(code)}`,
  watch: (code: string, key: string) =>
    `${ROOT}/watch/${encodeURIComponent(code)}/${encodeURIComponent(key)}`,
  dailies: `${ROOT}/daily`,
  daily: (game: string) => `${ROOT}/daily/${encodeURIComponent(game)}`,
  /** A leaderboard; `day` is the number of the period, by default the current one. */
  leaderboard: (
    game: string,
    day?: number | null,
    { scope = "day", group = null, rules = null }: Partial<Omit<BoardQuery, "day">> = {},
  ) => {
    const query = new URLSearchParams({
      ...(day != null ? { [scope]: String(day) } : scope === "day" ? {} : { by: scope }),
      ...(group === null ? {} : { group }),
      ...(rules === null ? {} : { rules }),
    });
    return `${ROOT}/leaderboard/${encodeURIComponent(game)}${queried(query)}`;
  },
  /** The same leaderboard for sharing: its link preview shows a player's result. */
  result: (game: string, day: number, player: string) =>
    `${ROOT}/leaderboard/${encodeURIComponent(game)}?day=${day}&player=${encodeURIComponent(player)}`,
  deal: (deal: string) => `${ROOT}/deal/${encodeURIComponent(deal)}`,
  /** A closed deal to play, unranked, in practice. */
  play: (deal: string) => `${ROOT}/deal/${encodeURIComponent(deal)}?play`,
  /** The line that wins a closed deal, or otherwise brings the most cards home. */
  line: (deal: string) => `${ROOT}/deal/${encodeURIComponent(deal)}?line`,
  /** The calendar, from a month such as `2026-11`. */
  archive: (month?: string) => `${ROOT}/archive${month === undefined ? "" : `?month=${month}`}`,
  day: (date: string) => `${ROOT}/archive/${date}`,
  player: (player: string) => `${ROOT}/player/${encodeURIComponent(player)}`,
  challenge: (challenge: string) => `${ROOT}/c/${encodeURIComponent(challenge)}`,
  /** A new challenge: for one player, for a circle, or for anyone with the link. */
  newChallenge: (who: { readonly player: string } | { readonly circle: string } | null = null) =>
    `${ROOT}/c${who === null ? "" : `?${new URLSearchParams({ ...who })}`}`,
  circles: `${ROOT}/circles`,
  circle: (circle: string) => `${ROOT}/circles/${encodeURIComponent(circle)}`,
  invitation: (link: string) => `${ROOT}/o/${encodeURIComponent(link)}`,
  operators: (page: OperatorPage = "cases", about = "") =>
    `${ROOT}/admin${page === "cases" ? "" : `/${page}`}${about && `/${encodeURIComponent(about)}`}`,
  ghost: (attempt: string) => `${ROOT}/run/${encodeURIComponent(attempt)}?race`,
  /** A run, starting at a time in milliseconds, optionally next to another run. */
  run: (attempt: string, at = 0, beside: string | null = null) => {
    const query = new URLSearchParams({
      ...(at > 0 ? { at: String(Math.round(at)) } : {}),
      ...(beside === null ? {} : { beside }),
    });
    return `${ROOT}/run/${encodeURIComponent(attempt)}${queried(query)}`;
  },
} as const;

/** Return a query for the end of a path; empty if it has no fields. */
function queried(query: URLSearchParams): string {
  const fields = query.toString();
  return fields && `?${fields}`;
}

/** Encode changes to rules for a query, leaving their separators readable. */
function readable(rules: string): string {
  return encodeURIComponent(rules).replace(/%3D|%3B|%2C/g, decodeURIComponent);
}

export function routeOf({ pathname, search }: { pathname: string; search: string }): Route {
  const path = pathname.startsWith(ROOT) ? pathname.slice(ROOT.length) : pathname;
  const parts = path.split("/").filter(Boolean);
  const [segment, second, ...more] = parts.map(decoded);
  // A leading empty segment aligns the destructuring below with the path's segments.
  const first = segment as Exclude<Segment, ""> | undefined;
  const [third, ...rest] = more;
  if (first === "watch" && second !== undefined && third !== undefined && rest.length === 0) {
    return { screen: "watch", code: codeIn(second), key: third };
  }
  if (first === "admin") return operatorsAt(second, third, rest.length > 0);
  if (third !== undefined) return { screen: "missing" };
  if (first === undefined) return { screen: "home" };
  if (
    (first === "settings" || first === "account" || first === "statistics") &&
    second === undefined
  ) {
    return { screen: first };
  }
  if (first === "new" && second === undefined) {
    const query = new URLSearchParams(search);
    const [game, rules] = [query.get("game"), query.get("rules")];
    return { screen: first, ...(game !== null && rules !== null && { game, rules }) };
  }
  if (first === "own") {
    const query = new URLSearchParams(search);
    const [rules, name] = [query.get("rules") ?? "", query.get("name") ?? ""];
    return { screen: first, game: second ?? null, rules, name };
  }
  if (first === "practice") {
    if (second === undefined) return { screen: "alone" };
    const query = new URLSearchParams(search);
    const [deal, rules] = [query.get("deal"), query.get("rules")];
    if (deal === null) return { screen: first, game: second, ...(rules !== null && { rules }) };
    const beat = query.get("beat") ?? "";
    return { screen: "known", game: second, deal, rules: rules ?? "", beat };
  }
  if (first === "rules" && second !== undefined) return { screen: first, game: second };
  if (first === "daily") {
    return second === undefined ? { screen: "dailies" } : { screen: "daily", game: second };
  }
  if (first === "r" && second !== undefined) return { screen: "room", code: codeIn(second) };
  if (first === "leaderboard" && second !== undefined) {
    return { screen: "leaderboard", game: second, ...boardOf(new URLSearchParams(search)) };
  }
  if (first === "deal" && second !== undefined) {
    const query = new URLSearchParams(search);
    const screen = query.has("play") ? "play" : query.has("line") ? "line" : "deal";
    return { screen, deal: second };
  }
  if (first === "archive") {
    if (second !== undefined) return { screen: "day", date: second };
    return { screen: "archive", month: new URLSearchParams(search).get("month") };
  }
  if (first === "circles") {
    return { screen: first, page: second === undefined ? "all" : "one", about: second ?? "" };
  }
  if (first === "o" && second !== undefined) {
    return { screen: "circles", page: "invitation", about: second };
  }
  if (first === "player" && second !== undefined) return { screen: "player", player: second };
  if (first === "run" && second !== undefined) {
    const query = new URLSearchParams(search);
    if (query.has("race")) return { screen: "ghost", attempt: second };
    const at = query.get("at") ?? "";
    const from = /^\d{1,9}$/.test(at) ? Number(at) : 0;
    return { screen: "run", attempt: second, at: from, beside: query.get("beside") };
  }
  if (first === "c") {
    if (second !== undefined) return { screen: "challenge", challenge: second };
    const query = new URLSearchParams(search);
    return { screen: "challenging", player: query.get("player"), circle: query.get("circle") };
  }
  return { screen: "missing" };
}

function operatorsAt(second: string | undefined, third: string | undefined, more: boolean): Route {
  const screen = "operators";
  const about = ABOUT_ONE.find((page) => page === second);
  if (about !== undefined && third !== undefined && !more)
    return { screen, page: about, about: third };
  if (third !== undefined) return { screen: "missing" };
  if (second === undefined) return { screen, page: "cases", about: "" };
  const page = LISTS.find((each) => each === second);
  return page === undefined ? { screen: "missing" } : { screen, page, about: "" };
}

/** Return the leaderboard that a query names, today's by default. */
function boardOf(query: URLSearchParams): BoardQuery {
  const by = SCOPES.find((scope) => scope === query.get("by"));
  const scope = by ?? (query.has("week") ? "week" : "day");
  const period = query.get(scope) ?? "";
  const group = (["ranked", "guests"] as const).find((each) => each === query.get("group"));
  const day = /^\d{1,6}$/.test(period) ? Number(period) : null;
  return { day, scope, group: group ?? null, rules: query.get("rules") };
}

/** Return the history state of a page that shows this attempt's table. */
export function stateAt(attempt: string): object {
  return { table: attempt };
}

/** Return the attempt of a history state, or null. */
export function tableOf(state: unknown): string | null {
  if (typeof state !== "object" || state === null || !("table" in state)) return null;
  return typeof state.table === "string" ? state.table : null;
}

/** Return a room code for display: eight characters in two halves, such as `H7KQ-2M4X`. */
export function shownCode(code: string): string {
  return code.replace(/^(.{4})(?=.{4}$)/, "$1-");
}

/** Return a room code for screen readers: letter by letter, with a pause in the middle. */
export function spokenCode(code: string): string {
  return [...shownCode(code)].join(" ").replace(" -", ",");
}

/** Return the room code in a path segment; `codes.ts` reads pasted text. */
function codeIn(part: string): string {
  return part.replace(/[\s\p{Pd}]/gu, "").toUpperCase();
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
