import { beforeEach, describe, expect, it } from "vitest";
import type { AttemptState, Challenge, Dailies, Player, RoomState } from "@samedeal/client";
import { Store } from "../../src/store.ts";
import { RunningGames, readRunning, stateOf } from "../src/app/runningGames.svelte.ts";
import { MemoryStorage } from "./storage.ts";

const ADA: Player = { id: "ada", name: "Ada", tag: "2222", bot: false };
const DEADLINE = 5_000;

/** The part of an attempt read by the class. */
function attemptOf(
  deal: string,
  room: string | null,
  end: "won" | null = null,
  occasion: string | null = null,
): AttemptState {
  const result = { home: 0, left: 52, time: 0, moves: 0, end };
  const day = room === null && occasion === null ? 7 : null;
  const fields = { id: `${deal}.ada`, deal, game: "robert", deadline: DEADLINE, room, day, result };
  return { ...fields, occasion } as unknown as AttemptState;
}

/** The part that it reads of a room with Ada as a runner. */
function roomOf(code: string, deal: string, end: "resigned" | null = null): RoomState {
  const result = { home: 0, left: 52, time: 0, moves: 0, end };
  const runners = [{ player: ADA, attempt: `${deal}.ada`, result, rank: null }];
  const round = { deal, deadline: DEADLINE, over: false, runners };
  return { code, game: "deuces", round } as unknown as RoomState;
}

describe("RunningGames", () => {
  const stores = () => ({
    attempt: new Store<AttemptState | null>(null),
    room: new Store<RoomState | null>(null),
    dailies: new Store<Dailies | null>(null),
    player: new Store<Player | null>(ADA),
    challenge: new Store<Challenge | null>(null),
  });
  let client = stores();
  let storage = new MemoryStorage();
  let running = new RunningGames(client, storage);
  beforeEach(() => {
    client = stores();
    storage = new MemoryStorage();
    running = new RunningGames(client, storage);
  });

  it("lead back to a daily until it is over, and after a reload", () => {
    client.attempt.set(attemptOf("d", null));
    client.attempt.set(null); // its screen was left
    const reloaded = new RunningGames(stores(), storage);
    for (const games of [running, reloaded]) {
      const game = games.elsewhere("/settings", 0);
      expect(game).toMatchObject({ path: "/daily/robert", game: "robert" });
      expect(game && stateOf(game)).toEqual({ table: "d.ada" });
    }
    client.attempt.set(attemptOf("d", null, "won"));
    expect(running.elsewhere("/", 0)).toBeUndefined();
    reloaded.reread();
    expect(reloaded.elsewhere("/", 0)).toBeUndefined();
  });

  it("lead nowhere from their own screen, nor after the deadline", () => {
    client.room.set(roomOf("AB2CD", "d"));
    expect(running.elsewhere("/", DEADLINE - 1)).toMatchObject({ path: "/r/AB2CD" });
    expect(running.elsewhere("/r/AB2CD", 0)).toBeUndefined();
    expect(running.elsewhere("/", DEADLINE)).toBeUndefined();
  });

  it("end with the room's report, or with the seat in it", () => {
    client.room.set(roomOf("AB2CD", "d"));
    client.room.set(roomOf("AB2CD", "d", "resigned"));
    expect(running.elsewhere("/", 0)).toBeUndefined();
    client.room.set(roomOf("AB2CD", "e"));
    client.room.set(null);
    expect(running.elsewhere("/", 0)).toBeUndefined();
  });

  it("lead back to a challenge until it is over, here or elsewhere", () => {
    client.attempt.set(attemptOf("d", null, null, "c:k3m"));
    const game = running.elsewhere("/", 0);
    expect(game).toMatchObject({ path: "/c/k3m", game: "robert" });
    expect(game && stateOf(game)).toEqual({ table: "d.ada" });
    const mine = { home: 3, left: 49, time: 9, moves: 4, end: "stuck" };
    client.challenge.set({ deal: "d", mine } as unknown as Challenge);
    expect(running.elsewhere("/", 0)).toBeUndefined();
  });

  it("may be several: the latest comes first, and the others after it", () => {
    client.attempt.set(attemptOf("daily", null));
    client.room.set(roomOf("AB2CD", "d"));
    expect(running.elsewhere("/", 0)).toMatchObject({ path: "/r/AB2CD" });
    client.room.set(roomOf("AB2CD", "d", "resigned"));
    expect(running.elsewhere("/", 0)).toMatchObject({ path: "/daily/robert" });
    const mine = { home: 3, left: 49, time: 9, moves: 4, end: "stuck" };
    client.dailies.set({ games: [{ deal: "daily", mine }] } as unknown as Dailies);
    expect(running.elsewhere("/", 0)).toBeUndefined();
  });

  it.each(["", "null", "{}", '[{"deal":"d"},1,null]'])("ignore %j in storage", (text) => {
    expect(readRunning(text)).toEqual([]);
  });
});
