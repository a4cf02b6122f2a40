/** The server's HTTP interface: public data, without a session. `server/HTTP.md` explains it. */

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

export interface ApiOptions {
  /**
   * Where the server is, as in `https://play.example.org`, with the path that it lies below if there
   * is one: `https://example.org/games/samedeal`. A page leaves its own origin out.
   */
  readonly origin?: string;
}

/** Which rows of a list: so many from the one with this number on, which counts from 1. */
export interface Rows {
  readonly from?: number;
  readonly count?: number;
}

/** Each method throws a `Refusal`: the server's, or `disconnected` if there is no answer. */
export class Api {
  readonly #base: string;

  constructor({ origin = "" }: ApiOptions = {}) {
    this.#base = `${origin}/api/`;
  }

  /** The rules of all games, by their digests. */
  async games(): Promise<Games> {
    return this.#get(["games"]);
  }

  /** Today's deals and those of the days ahead, with their commitments. */
  async dailies(): Promise<Dailies> {
    return this.#get(["dailies"]);
  }

  /** The deals of a day, as in `2026-11-21`; with their seeds once it is closed. */
  async day(date: string): Promise<Day> {
    return this.#get(["dailies", date]);
  }

  /** How the runs at a daily went on. */
  async curves(date: string, game: string): Promise<Curves> {
    return this.#get(["dailies", date, game, "curves"]);
  }

  /** A deal that is closed. */
  async deal(deal: string): Promise<ClosedDeal> {
    return this.#get(["deals", deal]);
  }

  /** The runs on a deal that is closed, best first. */
  async runs(deal: string, rows: Rows = {}): Promise<DealRuns> {
    return this.#get(["deals", deal, "runs"], rows);
  }

  /** A run, as a file that `samedeal verify` checks. */
  async run(run: string): Promise<RunFile> {
    return this.#get(["runs", run]);
  }

  /** A challenge as anybody with its link may see it; with results and seed once it is over. */
  async challenge(challenge: string, rows: Rows = {}): Promise<Challenge> {
    return this.#get(["challenges", challenge], rows);
  }

  /** Rows of a leaderboard. `group` tells players who have kept an identity from guests. */
  async board(
    scope: string,
    game: string,
    period: string,
    rows: Rows & { readonly group?: "ranked" | "guests" } = {},
  ): Promise<Board> {
    return this.#get(["boards", scope, game, period], rows);
  }

  /** The public page of a player. */
  async player(player: string): Promise<PlayerPage> {
    return this.#get(["players", player]);
  }

  /** The days whose runs can be downloaded, one file a day. */
  async archive(): Promise<Archive> {
    return this.#get(["archive"]);
  }

  async #get<T>(path: readonly string[], query: object = {}): Promise<T> {
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]),
    ).toString();
    const url = this.#base + path.map(encodeURIComponent).join("/") + (search && `?${search}`);
    const response = await fetch(url).catch(() => {
      throw disconnected();
    });
    if (response.ok) return (await response.json()) as T;
    // A proxy in front of the server answers with no JSON.
    const { code, text } = await (response.json() as Promise<Problem>).catch(() => ({
      code: "unavailable",
      text: "The server does not answer.",
    }));
    throw new Refusal(code, text, 1000 * Number(response.headers.get("Retry-After")));
  }
}
