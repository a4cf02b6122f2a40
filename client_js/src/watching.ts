/** The boards of a watched round. */

import type { Keeper, Link } from "./link.ts";
import type { Result, Watched, WatchedBoard, WatchedMove } from "./messages.ts";
import type { Command, Event } from "./protocol.ts";
import type { RoomKeeper } from "./room.ts";
import { type View, applyDelta } from "./rules/board.ts";
import { findStoredRuleset } from "./rules/catalog.ts";
import { EngineError } from "./rules/errors.ts";
import type { Ruleset } from "./rules/ruleset.ts";
import type { Store } from "./store.ts";

export interface RunnerBoard {
  /** The runner's id. */
  readonly player: string;
  /** Null until there is something to show. */
  readonly view: View | null;
  /** The last journal entry shown; 0 until there is one. */
  readonly seq: number;
  readonly result: Result;
  /** The error code if the server cannot read the board, or null. */
  readonly problem: string | null;
}

/** The latest round of a room as shown to a spectator. */
export interface WatchedRound {
  readonly code: string;
  /** The round's number; 0 before the first one. */
  readonly round: number;
  /** `hidden` until the round is over, if its boards must not be seen before. */
  readonly sight: "live" | "delayed" | "hidden";
  /** The delay of moves in milliseconds. */
  readonly delay: number;
  /** Null before the first round, and if this client does not know the rules. */
  readonly ruleset: Ruleset | null;
  /** In the order of the runners. */
  readonly boards: readonly RunnerBoard[];
}

/** The end of the player's permission to watch a room. */
export interface WatchEnded {
  readonly code: string;
  /** The code of the equivalent refusal; `not_invited` if the watch key was revoked. */
  readonly why: string;
}

/** Refusals of watching that are permanent, or last until some other event. */
const FINAL = ["removed", "not_invited", "still_racing", "too_many_watchers"];

export class WatchKeeper implements Keeper {
  readonly #link: Link;
  readonly #room: RoomKeeper;
  #wanted: { readonly code: string; readonly key: string | null } | null = null;

  readonly #watched: Store<WatchedRound | null>;
  readonly #ended: Store<WatchEnded | null>;

  constructor(
    link: Link,
    room: RoomKeeper,
    watched: Store<WatchedRound | null>,
    ended: Store<WatchEnded | null>,
  ) {
    this.#link = link;
    this.#room = room;
    this.#watched = watched;
    this.#ended = ended;
  }

  async watch(code: string, key: string | null): Promise<void> {
    const wanted = { code, key };
    if (this.#wanted?.code !== code) this.forget();
    this.#wanted = wanted;
    this.#ended.set(null);
    this.#room.follow(code);
    try {
      await this.#link.askWithRetry("WatchRound", wanted, () => this.#wanted === wanted);
    } catch (refusal) {
      if (this.#wanted === wanted) this.forget();
      throw refusal;
    }
  }

  async stop(): Promise<void> {
    if (this.#wanted === null) return;
    this.forget();
    await this.#link.ask("StopWatching", {});
  }

  resume(): void {
    this.#askAgain();
  }

  handle(event: Event, answered: Command | null): void {
    const code = this.#wanted?.code;
    if (code === undefined) return;
    if (event.type === "Watched" && event.code === code) this.#show(event);
    else if (event.type === "WatchedMove") this.#moved(event);
    else if (event.type === "Removed" && event.code === code) this.forget();
    else if (event.type === "RoomState" && answered !== null && event.code !== code) {
      // The session is now subscribed to another room.
      this.forget();
    }
  }

  #askAgain(): void {
    this.#link.askUntilAnswered(
      () => (this.#wanted === null ? undefined : this.#link.ask("WatchRound", this.#wanted, false)),
      FINAL,
      (refusal) => this.#end(refusal.code),
    );
  }

  forget(): void {
    this.#wanted = null;
    this.#watched.set(null);
    this.#room.unfollow();
  }

  #show(event: Watched): void {
    const { code, round, sight, delay } = event;
    if (sight === "ended") return this.#end(event.why ?? "not_invited");
    const ruleset = rulesOf(event);
    const boards = event.boards.map((board) => shown(board, ruleset));
    this.#watched.set({ code, round, sight, delay, ruleset, boards });
  }

  #end(why: string): void {
    const code = this.#wanted?.code;
    this.forget();
    if (code !== undefined) this.#ended.set({ code, why });
  }

  #moved({ round, board, seq, changes, redeals, result }: WatchedMove): void {
    const watched = this.#watched.get();
    const known = watched?.boards[board];
    // Duplicates and moves of an earlier round arrive around a reconnect.
    if (!watched || watched.round !== round || !known || seq <= known.seq) return;
    const { ruleset } = watched;
    if (ruleset === null) return;
    let view: View;
    try {
      view = applyDelta(known.view ?? emptyView(ruleset), {
        changes: changes.map(([pile = -1, take = -1, ...put]) => ({ pile, take, put })),
        redeals,
        moves: result.moves,
      });
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      return this.#askAgain();
    }
    const next = { ...known, view, seq, result };
    const boards = watched.boards.map((each, at) => (at === board ? next : each));
    this.#watched.set({ ...watched, boards });
  }
}

/** Return the rules of a watched round; null if absent or unknown to this client. */
function rulesOf({ game, variant, rules }: Watched): Ruleset | null {
  if (game === null || variant === null || rules === null) return null;
  try {
    return findStoredRuleset(game, variant, rules);
  } catch (error) {
    if (error instanceof EngineError) return null;
    throw error;
  }
}

function shown(board: WatchedBoard, ruleset: Ruleset | null): RunnerBoard {
  const { player, seq, piles, redeals, result, problem } = board;
  const view =
    seq === 0 || ruleset === null
      ? null
      : {
          ruleset,
          piles: ruleset.pileNames.map((_, number) => [...(piles[number] ?? [])]),
          redeals,
          moves: result.moves,
        };
  return { player, view, seq, result, problem };
}

function emptyView(ruleset: Ruleset): View {
  return { ruleset, piles: ruleset.pileNames.map(() => []), redeals: 0, moves: 0 };
}
