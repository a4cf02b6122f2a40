/** The server's HTTP interface: public data, without a session. See `server/HTTP.md`. */

import type {
  Archive,
  Board,
  Challenge,
  ClosedDeal,
  Curves,
  Dailies,
  Day,
  DealRuns,
  Games,
  PlayerPage,
  Problem,
  RunFile,
} from "./apiTypes.ts";
import { Refusal, disconnected } from "./refusal.ts";
import { requireScheme } from "./url.ts";

export interface ApiOptions {
  /**
   * The server's origin, such as `https://play.example.org`, with a path if the server is below
   * one: `https://example.org/games/samedeal`. Omit it to use the page's own origin.
   */
  readonly origin?: string;
}

/** A page of a list: the number of rows, and the number of the first one, from 1. */
export interface Rows {
  readonly from?: number;
  readonly count?: number;
}

/**
 * The HTTP client. Every method throws a `Refusal`: the server's, or `disconnected` without an
 * answer.
 */
export class Api {
  readonly #base: string;

  /** Throws a `TypeError` for an origin of another scheme than `https:` and `http:`. */
  constructor({ origin = "" }: ApiOptions = {}) {
    // The page names its own origin by an empty text or a path.
    if (/^[^/]/.test(origin)) requireScheme(origin, ["https:", "http:"]);
    this.#base = `${origin}/api/`;
  }

  /** Return the rules of all games, by digest. */
  async games(): Promise<Games> {
    return this.#get(["games"]);
  }

  /** Return the deals of today and of the coming days, with their commitments. */
  async dailies(): Promise<Dailies> {
    return this.#get(["dailies"]);
  }

  /** Return the deals of a day such as `2026-11-21`, with their seeds once it is closed. */
  async day(date: string): Promise<Day> {
    return this.#get(["dailies", date]);
  }

  /** Return the progress curves of a daily's runs. */
  async curves(date: string, game: string): Promise<Curves> {
    return this.#get(["dailies", date, game, "curves"]);
  }

  /** Return a closed deal. */
  async deal(deal: string): Promise<ClosedDeal> {
    return this.#get(["deals", deal]);
  }

  /** Return the runs of a closed deal, best first. */
  async runs(deal: string, rows: Rows = {}): Promise<DealRuns> {
    return this.#get(["deals", deal, "runs"], rows);
  }

  /** Return a run as a file for `samedeal verify`. */
  async run(run: string): Promise<RunFile> {
    return this.#get(["runs", run]);
  }

  /** Return a challenge's public part, with results and seed once it is over. */
  async challenge(challenge: string, rows: Rows = {}): Promise<Challenge> {
    return this.#get(["challenges", challenge], rows);
  }

  /**
   * Return rows of a leaderboard. `group` separates players with a kept identity from guests, and
   * `variant` the best runs; by default, the variant of the game's dailies.
   */
  async board(
    scope: string,
    game: string,
    period: string,
    rows: Rows & { readonly group?: "ranked" | "guests"; readonly variant?: string } = {},
  ): Promise<Board> {
    return this.#get(["boards", scope, game, period], rows);
  }

  /** Return a player's public page. */
  async player(player: string): Promise<PlayerPage> {
    return this.#get(["players", player]);
  }

  /** Return the days with downloadable runs, one file per day. */
  async archive(): Promise<Archive> {
    return this.#get(["archive"]);
  }

  async #get<T>(path: readonly string[], query: object = {}): Promise<T> {
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]),
    ).toString();
    const url = this.#base + path.map(encodeURIComponent).join("/") + (search && `?${search}`);
    const response = await fetch(url).catch((cause: unknown) => {
      throw disconnected(cause);
    });
    const wait = 1000 * Number(response.headers.get("Retry-After"));
    const body = await response.json().catch((cause: unknown) => {
      // A proxy in front of the server may answer without JSON.
      if (cause instanceof SyntaxError) {
        throw new Refusal("unavailable", "The server does not answer.", wait, cause);
      }
      throw disconnected(cause);
    });
    if (response.ok) return body as T;
    const { code, text } = body as Problem;
    throw new Refusal(code, text, wait);
  }
}
