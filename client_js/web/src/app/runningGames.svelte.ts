/** The player's unfinished games, so that every screen leads back to them. */

import type { Client, TextStorage } from "@samedeal/client";
import { paths, stateAt } from "./routes.ts";

const KEY = "samedeal.running";

/** What the occasion of an attempt begins with that is of a challenge; its id follows. */
const CHALLENGE = "c:";

/** A round, a daily or a challenge that the player has begun and not finished. */
export interface RunningGame {
  /** The id of its deal: a player has one game on each. */
  readonly deal: string;
  readonly game: string;
  /** The path of its screen. */
  readonly path: string;
  /** When it ends by itself, in Unix milliseconds of the server's clock. */
  readonly deadline: number;
  /** The attempt whose table its screen opens; null where the screen finds it by itself. */
  readonly attempt: string | null;
}

/** The games as far as they are known; the client forgets them when their screen is left. */
type Known = Pick<Client, "attempt" | "room" | "dailies" | "player" | "challenge">;

/**
 * Kept in this browser's storage, for a reload on another screen and for other windows. Reads only
 * what the client receives anyway: it sends nothing.
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

  /** Read the games anew: another window may have finished one. */
  reread(): void {
    this.#games = readRunning(this.#storage.getItem(KEY));
  }

  /** The game that was begun last and is unfinished at a time, unless its screen is at this path. */
  elsewhere(path: string, now: number): RunningGame | undefined {
    return this.#games.find((game) => game.path !== path && game.deadline > now);
  }

  /** Add a game that is not known yet, or drop one that is finished. */
  #note(game: RunningGame, unfinished: boolean): void {
    const others = this.#games.filter(({ deal }) => deal !== game.deal);
    if (!unfinished) this.#set(others);
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

/** The history state with which the screen of a game opens its table. */
export function stateOf({ attempt }: RunningGame): object | null {
  return attempt === null ? null : stateAt(attempt);
}

/** The games in stored JSON, without malformed ones. */
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
