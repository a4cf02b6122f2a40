/** The player's unfinished games, which every screen links back to. */

import type { Client, TextStorage } from "@samedeal/client";
import { paths, stateAt } from "./routes.ts";

const KEY = "samedeal.running";

/** The prefix of a challenge's occasion, followed by its id. */
const CHALLENGE = "c:";

/** An unfinished round, daily or challenge. */
export interface RunningGame {
  /** The deal's id: a player has one game per deal. */
  readonly deal: string;
  readonly game: string;
  readonly path: string;
  /** The server's time of its automatic end, in Unix milliseconds. */
  readonly deadline: number;
  /** The attempt whose table its screen opens; null if the screen finds it itself. */
  readonly attempt: string | null;
}

/** The sources of known games; the client forgets them when their screen is left. */
type Known = Pick<Client, "attempt" | "room" | "dailies" | "player" | "challenge">;

/**
 * Stored in the browser for reloads on another screen and for other windows. It only uses events
 * that the client receives anyway, and sends nothing.
 */
export class RunningGames {
  #games = $state.raw<readonly RunningGame[]>([]);
  readonly #storage: TextStorage;

  constructor(client: Known, storage: TextStorage) {
    this.#storage = storage;
    this.#games = readRunning(storage.getItem(KEY));
    client.attempt.subscribe((attempt) => {
      if (attempt === null) return;
      const { deal, game, deadline, room, occasion, id, result } = attempt;
      const path = occasion?.startsWith(CHALLENGE)
        ? paths.challenge(occasion.slice(CHALLENGE.length))
        : paths.daily(game);
      const at = room === null ? { path, attempt: id } : inRoom(room);
      this.#note({ deal, game, deadline, ...at }, result.end === null);
    });
    let left: string | null = null;
    client.room.subscribe((room) => {
      if (left !== null && left !== room?.code) this.#forget(inRoom(left).path);
      left = room?.code ?? null;
      const round = room?.round ?? null;
      if (room === null || round === null) return;
      const mine = round.runners.find(({ player }) => player.id === client.player.get()?.id);
      if (mine === undefined) return;
      const { deal, deadline } = round;
      const unfinished = !round.over && mine.result.end === null;
      this.#note({ deal, game: room.game, deadline, ...inRoom(room.code) }, unfinished);
    });
    client.challenge.subscribe((challenge) => {
      if (challenge?.mine?.end != null) this.#drop(challenge.deal);
    });
    client.dailies.subscribe((dailies) => {
      const over = dailies?.games.filter(({ mine }) => mine?.end != null) ?? [];
      for (const { deal } of over) this.#drop(deal);
    });
  }

  /** Reload the games from storage: another window may have finished one. */
  reread(): void {
    this.#games = readRunning(this.#storage.getItem(KEY));
  }

  /** Return the latest game that is unfinished at a time, unless its screen is at this path. */
  elsewhere(path: string, now: number): RunningGame | undefined {
    return this.#games.find((game) => game.path !== path && game.deadline > now);
  }

  /** Add a new game, or drop a finished one. */
  #note(game: RunningGame, unfinished: boolean): void {
    const others = this.#games.filter(({ deal }) => deal !== game.deal);
    if (!unfinished) this.#set(others);
    // Known games keep their place in the order.
    else if (others.length === this.#games.length) this.#set([game, ...others]);
  }

  #drop(deal: string): void {
    this.#set(this.#games.filter((game) => game.deal !== deal));
  }

  #forget(path: string): void {
    this.#set(this.#games.filter((game) => game.path !== path));
  }

  #set(games: readonly RunningGame[]): void {
    if (games.length === this.#games.length) return;
    this.#games = games;
    this.#storage.setItem(KEY, JSON.stringify(games));
  }
}

/** Return the history state that makes a game's screen open its table. */
export function stateOf({ attempt }: RunningGame): object | null {
  return attempt === null ? null : stateAt(attempt);
}

/** Parse the games from stored JSON, dropping malformed ones. */
export function readRunning(text: string | null): readonly RunningGame[] {
  try {
    const found: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found.filter(isRunning) : [];
  } catch {
    return [];
  }
}

function inRoom(code: string): { readonly path: string; readonly attempt: null } {
  return { path: paths.room(code), attempt: null };
}

function isRunning(found: unknown): found is RunningGame {
  if (typeof found !== "object" || found === null) return false;
  const { deal, game, path, deadline, attempt } = found as Partial<RunningGame>;
  const words = [deal, game, path, attempt ?? ""];
  return words.every((word) => typeof word === "string") && Number.isFinite(deadline);
}
