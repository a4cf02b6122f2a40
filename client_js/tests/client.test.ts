/** The client against a scripted server: rooms, attempts, leaderboards, and lost connections. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { type Client, Refusal } from "../src/index.ts";
import { PING_EVERY } from "../src/connection.ts";
import type { EventOf } from "../src/protocol.ts";
import { MOST_WAITING } from "../src/requests.ts";
import { viewOf } from "../src/rules/board.ts";
import { ATTEMPT, Dealer } from "./dealer.ts";
import {
  ADA,
  BOB,
  FakeTime,
  ScriptedServer,
  type Session,
  openedClient,
  saidNothing,
  takenIn,
  until,
} from "./server.ts";

/** No first pause is longer, in milliseconds. */
const LONGEST_FIRST_PAUSE = 600;

let server: ScriptedServer;
let time: FakeTime;
let client: Client;
let session: Session;
beforeEach(async () => {
  server = new ScriptedServer();
  time = new FakeTime();
  [client, session] = await openedClient(server, { ...time });
});
afterEach(() => {
  client.close();
  server.stop();
});

/** Cut the line, and welcome the client to its next session. */
async function reconnect(): Promise<void> {
  session.drop();
  await until(client.status, (status) => status === "waiting");
  time.pass(300);
  session = await server.session();
  await session.welcome();
  await until(client.status, (status) => status === "open");
}

const nothing = { home: 0, left: 52, time: 0, moves: 0, end: null };

function room(fields: Partial<EventOf<"room">> = {}): EventOf<"room"> {
  return {
    ...{ type: "room", code: "H7KQ2", version: 1, game: "robert", variant: "standard" },
    ...{ seats: 2, limit: 900, host: ADA.id, round: null, members: [] },
    ...fields,
  };
}

const round = {
  ...{ number: 1, deal: "d", commitment: "00", starts: 0, deadline: 1, over: false, seed: null },
  runners: [ADA, BOB].map((player) => ({
    ...{ player, attempt: `d.${player.id}`, result: nothing, rank: null },
  })),
};

async function seated(): Promise<void> {
  const joined = client.joinRoom("H7KQ2");
  const { id, code } = await session.command("room.join");
  expect(code).toBe("H7KQ2");
  session.say(room({ re: id, version: 3 }));
  expect(await joined).toMatchObject({ version: 3 });
}

async function playing(dealer: Dealer): Promise<void> {
  const opened = client.openDaily("roosevelt");
  const { id } = await session.command("daily.open");
  session.say({ ...dealer.snapshot(), re: id });
  await opened;
}

test("a room is kept up to date by whole states and by progress", async () => {
  await seated();
  session.say(room({ version: 5, round }));
  session.say(room({ version: 4 }));
  session.say(room({ version: 9, code: "OTHER" }));
  const result = { ...nothing, home: 3, left: 49 };
  const bob = [{ player: BOB.id, result }];
  session.say({ type: "progress", code: "H7KQ2", number: 1, runners: bob });
  session.say({ type: "progress", code: "H7KQ2", number: 2, runners: bob });
  session.say({ type: "progress", code: "OTHER", number: 1, runners: [] });
  await takenIn(client, session);
  expect(client.room.get()).toMatchObject({ code: "H7KQ2", version: 5 });
  const runners = client.room.get()?.round?.runners;
  expect(runners?.map((runner) => runner.result.home)).toEqual([0, 3]);
});

test("after a reconnect the room is what it is then, though its version went back", async () => {
  await seated();
  session.say(room({ version: 5 }));
  await takenIn(client, session);
  await reconnect();
  const { id } = await session.command("room.join");
  session.say(room({ re: id, version: 4 }));
  session.say(room({ version: 3 }));
  await takenIn(client, session);
  expect(client.room.get()).toMatchObject({ version: 4 });
});

test("commands about the room name it, and leaving forgets it", async () => {
  await expect(client.setReady(true)).rejects.toMatchObject({ code: "not_seated" });
  await seated();
  const ready = client.setReady(true);
  const { id, ...fields } = await session.command("room.ready");
  expect(fields).toEqual({ type: "room.ready", code: "H7KQ2", ready: true });
  session.say(room({ re: id, version: 4 }));
  await ready;
  const start = client.startRound();
  session.say({
    ...{ type: "refused", re: (await session.command("room.start")).id },
    ...{ code: "not_host", text: "Only the host starts a round." },
  });
  await expect(start).rejects.toThrow(new Refusal("not_host", "Only the host starts a round."));
  const left = client.leaveRoom();
  session.say({ type: "done", re: (await session.command("room.leave")).id });
  session.say(room({ version: 6 }));
  await left;
  await takenIn(client, session);
  expect(client.room.get()).toBeNull();
});

test("a room whose creation was not answered is created again by the same key", async () => {
  const created = client.createRoom({ game: "robert", variant: "standard", seats: 2, limit: 900 });
  const first = await session.command("room.create");
  expect(first.key).toMatch(/^[0-9a-f]{32}$/);
  await reconnect();
  const second = await session.command("room.create");
  expect({ ...second, id: first.id }).toEqual(first);
  session.say(room({ re: second.id }));
  expect(await created).toMatchObject({ code: "H7KQ2" });
});

test("what is not safe to repeat is refused when the connection breaks, or is not there", async () => {
  const renamed = client.rename("Eve");
  await session.command("rename");
  session.drop();
  await expect(renamed).rejects.toMatchObject({ code: "disconnected" });
  await expect(client.rename("Eve")).rejects.toMatchObject({ code: "disconnected" });
  const asked = client.listDailies();
  client.close();
  await expect(asked).rejects.toMatchObject({ code: "disconnected" });
});

test("the waiting commands are bounded", async () => {
  const asked = Array.from({ length: MOST_WAITING + 1 }, () => client.showDeal("d"));
  await expect(asked.at(-1)).rejects.toMatchObject({ code: "too_fast" });
  client.close();
  await expect(asked[0]).rejects.toMatchObject({ code: "disconnected" });
  await Promise.allSettled(asked);
});

test("a renamed player has the new name", async () => {
  const renamed = client.rename("Ada L.");
  session.say({ type: "done", re: (await session.command("rename")).id });
  await renamed;
  expect(client.player.get()).toEqual({ ...ADA, name: "Ada L." });
});

test("a reconnect takes the seat, the leaderboard and the attempt up again", async () => {
  await seated();
  const watched = client.watchLeaderboard("robert", 7);
  const board = { type: "leaderboard", game: "robert", size: 0, top: [], around: [] } as const;
  const { id: watch } = await session.command("leaderboard.watch");
  session.say({ ...board, day: 7, re: watch });
  await watched;
  const dealer = new Dealer("roosevelt", "5".repeat(64));
  await playing(dealer);
  expect(client.play("s>w")).toBe(true);
  await session.command("move");

  await reconnect();
  const { id } = await session.command("attempt.open");
  expect(await session.command("room.join")).toMatchObject({ code: "H7KQ2" });
  expect(await session.command("leaderboard.watch")).toMatchObject({ game: "robert", day: 7 });
  await saidNothing(client, session);
  session.say({ ...dealer.snapshot(), re: id });
  const again = await session.command("move");
  expect(again).toMatchObject({ attempt: ATTEMPT, seq: 2, move: "s>w" });
  session.say({ ...dealer.answer(2, "s>w"), re: again.id });
  expect(await until(client.attempt, (state) => state?.pending === 0)).toMatchObject({ seq: 2 });
});

test("a client that comes back says what it has, and goes on from what it missed", async () => {
  const dealer = new Dealer("roosevelt", "5".repeat(64));
  await playing(dealer);
  for (let played = 0; played < 3; played++) client.play("s>w");
  const first = await session.command("move");
  session.say({ ...dealer.answer(2, "s>w"), re: first.id });
  await until(client.attempt, (state) => state?.seq === 2);
  await session.command("move");
  dealer.answer(3, "s>w"); // it stands, but the answer is lost

  await reconnect();
  const { id, have } = await session.command("attempt.open");
  const missed = dealer.opened(have);
  expect(missed).toMatchObject({ type: "missed", since: 2, seq: 3 });
  session.say({ ...missed, re: id });
  const again = await session.command("move");
  expect(again).toMatchObject({ seq: 4, move: "s>w" });
  session.say({ ...dealer.answer(4, "s>w"), re: again.id });
  const state = await until(client.attempt, (now) => now?.pending === 0);
  expect(state?.view).toEqual(viewOf(dealer.board));
});

test("what does not fit is not asked for again: then it is the snapshot, once", async () => {
  const dealer = new Dealer("roosevelt", "5".repeat(64));
  await playing(dealer);
  client.play("s>w");
  await session.command("move");
  await reconnect();
  const open = await session.command("attempt.open");
  expect(open).toHaveProperty("have");
  dealer.play("s>w");
  const event = dealer.opened(open.have);
  session.say({ ...event, seq: 9, re: open.id } as typeof event);
  const again = await session.command("attempt.open");
  expect(again).not.toHaveProperty("have");
  session.say({ ...event, seq: 9 } as typeof event);
  session.say({ ...dealer.snapshot(), re: again.id });
  expect(await until(client.attempt, (now) => now?.pending === 0)).toMatchObject({ seq: 2 });
  await saidNothing(client, session);
});

const away = (re: number): EventOf<"refused"> => ({
  ...{ type: "refused", re, code: "unavailable", text: "Try again." },
});

test("moves that the store is away for are kept, sent again after pauses that grow, and so shown", async () => {
  client.close();
  const waits: number[] = [];
  const after: FakeTime["after"] = (milliseconds, run) => {
    if (milliseconds === PING_EVERY) return () => undefined;
    waits.push(milliseconds);
    return time.after(milliseconds, run);
  };
  [client, session] = await openedClient(server, { ...time, after, random: () => 0.999 });
  const dealer = new Dealer("roosevelt", "5".repeat(64));
  await playing(dealer);
  expect(client.stalled.get()).toBe(false);
  for (let played = 0; played < 3; played++) client.play("s>w");
  waits.length = 0;
  for (let failures = 0; failures < 8; failures++) {
    for (const seq of [2, 3, 4]) {
      const { id, ...move } = await session.command("move");
      expect(move).toMatchObject({ seq, move: "s>w" });
      session.say(away(id));
    }
    await saidNothing(client, session);
    expect(client.stalled.get()).toBe(true);
    expect(client.attempt.get()).toMatchObject({ pending: 3, refusal: null });
    expect(waits.length).toBe(failures + 1);
    time.pass(waits.at(-1)!);
  }
  expect(waits[0]).toBeLessThan(700);
  expect(waits.at(-1)).toBeLessThanOrEqual(10_000);
  expect(waits.at(-1)).toBeGreaterThan(8_000);
  for (const seq of [2, 3, 4]) {
    const { id } = await session.command("move");
    session.say({ ...dealer.answer(seq, "s>w"), re: id });
  }
  await until(client.attempt, (now) => now?.pending === 0);
  expect(client.stalled.get()).toBe(false);
});

test("what can be asked twice is asked again while the store is away, for as long as it is wanted", async () => {
  const opened = client.openDaily("roosevelt");
  const joined = client.joinRoom("H7KQ2");
  session.say(away((await session.command("daily.open")).id));
  session.say(away((await session.command("room.join")).id));
  await until(client.stalled, (stalled) => stalled);
  time.pass(600);
  const again = await session.command("daily.open");
  session.say({ ...new Dealer("roosevelt", "5".repeat(64)).snapshot(), re: again.id });
  await opened;
  expect(client.stalled.get()).toBe(true);
  session.say(room({ re: (await session.command("room.join")).id }));
  await joined;
  expect(client.stalled.get()).toBe(false);

  const unwanted = client.openDaily("roosevelt");
  session.say(away((await session.command("daily.open")).id));
  await until(client.stalled, (stalled) => stalled);
  client.closeAttempt();
  time.pass(600);
  await expect(unwanted).rejects.toMatchObject({ code: "unavailable" });
  expect(client.stalled.get()).toBe(false);
  await saidNothing(client, session);
});

test("what is asked again after a reconnect is asked once, though sessions come and go", async () => {
  await playing(new Dealer("roosevelt", "5".repeat(64)));
  await reconnect();
  session.say(away((await session.command("attempt.open")).id));
  await until(client.stalled, (stalled) => stalled);
  session.drop();
  await until(client.status, (status) => status === "waiting");
  expect(client.stalled.get()).toBe(false);
  time.pass(200);
  session = await server.session();
  await session.welcome();
  await until(client.status, (status) => status === "open");
  await session.command("attempt.open");
  time.pass(5_000);
  await saidNothing(client, session);
});

test("what is gone after a reconnect is forgotten, what cannot be had just now asked for again", async () => {
  await seated();
  await playing(new Dealer("roosevelt", "5".repeat(64)));
  await reconnect();
  const open = await session.command("attempt.open");
  const join = await session.command("room.join");
  session.say({ type: "refused", re: join.id, code: "unknown_room", text: "Gone." });
  session.say({ type: "refused", re: open.id, code: "unavailable", text: "Try again." });
  await takenIn(client, session);
  expect(client.room.get()).toBeNull();
  expect(client.attempt.get()).not.toBeNull();
  time.pass(LONGEST_FIRST_PAUSE);
  const again = await session.command("attempt.open");
  session.say({ type: "refused", re: again.id, code: "unknown_attempt", text: "Gone." });
  await takenIn(client, session);
  expect(client.attempt.get()).toBeNull();
});

test("a round that starts puts its attempt on the table", async () => {
  const dealer = new Dealer("roosevelt", "5".repeat(64));
  session.say(dealer.snapshot());
  const attempt = await until(client.attempt, (state) => state !== null);
  expect(attempt).toMatchObject({ id: ATTEMPT, game: "roosevelt", seq: 1, pending: 0 });
});

test("an attempt that the server finds to be stuck is over, whatever was on its way", async () => {
  const dealer = new Dealer("roosevelt", "5".repeat(64));
  await playing(dealer);
  client.play("s>w");
  const move = await session.command("move");
  const result = { ...dealer.result, end: "stuck" as const };
  session.say({ type: "ended", attempt: ATTEMPT, seq: 2, result });
  const over = await until(client.attempt, (state) => state?.result.end === "stuck");
  expect(over).toMatchObject({ seq: 2, pending: 0, result });
  session.say({ ...dealer.snapshot(), re: move.id, seq: 2, result });
  await takenIn(client, session);
  expect(client.attempt.get()).toEqual(over);
  expect(client.play("s>w")).toBe(false);
});

test("a missing entry is asked for, and news of a closed attempt is not shown", async () => {
  const dealer = new Dealer("roosevelt", "5".repeat(64));
  await playing(dealer);
  dealer.play("s>w");
  session.say(dealer.play("s>w"));
  const { id } = await session.command("attempt.open");
  session.say({ ...dealer.snapshot(), re: id });
  await until(client.attempt, (state) => state?.seq === 3);
  client.play("s>w");
  const move = await session.command("move");
  client.closeAttempt();
  session.say({ ...dealer.snapshot(), re: move.id });
  session.say(dealer.play("s>w"));
  await takenIn(client, session);
  expect(client.attempt.get()).toBeNull();
  expect(client.play("s>w")).toBe(false);
});

test("an attempt at a game that this client does not know is refused", async () => {
  const opened = client.openAttempt("x");
  const { id } = await session.command("attempt.open");
  session.say({ ...new Dealer("robert", "5".repeat(64)).snapshot("x"), re: id, game: "klondike" });
  await expect(opened).rejects.toMatchObject({ code: "unknown_game" });
  expect(client.attempt.get()).toBeNull();
});

test("resigning takes the number after the pending moves, and tries again if it was another", async () => {
  const dealer = new Dealer("roosevelt", "5".repeat(64));
  await playing(dealer);
  client.play("s>w");
  const move = await session.command("move");
  const resigned = client.resign();
  const first = await session.command("resign");
  expect(first.seq).toBe(3);
  session.say({ type: "refused", re: move.id, code: "too_fast", text: "Slow down." });
  session.say({ ...dealer.snapshot(), re: first.id });
  const second = await session.command("resign");
  expect(second.seq).toBe(2);
  const result = { ...dealer.result, end: "resigned" as const };
  session.say({ type: "ended", re: second.id, attempt: ATTEMPT, seq: 2, result });
  await resigned;
  expect(client.attempt.get()).toMatchObject({
    result: { end: "resigned" },
    refusal: "Slow down.",
  });
});

test("a leaderboard is shown while it is watched, and no other", async () => {
  const board = { type: "leaderboard", size: 0, top: [], around: [], day: 9 } as const;
  const robert = client.watchLeaderboard("robert");
  const asked = await session.command("leaderboard.watch");
  expect(asked).toMatchObject({ game: "robert", day: null });
  session.say({ ...board, game: "robert", re: asked.id });
  await robert;
  expect(client.leaderboard.get()).toMatchObject({ game: "robert" });

  const deuces = client.watchLeaderboard("deuces", 9);
  session.say({ ...board, game: "robert" });
  await takenIn(client, session);
  expect(client.leaderboard.get()).toBeNull();
  const refused = await session.command("leaderboard.watch");
  session.say({ type: "refused", re: refused.id, code: "unknown_day", text: "No." });
  await expect(deuces).rejects.toMatchObject({ code: "unknown_day" });
  await client.unwatchLeaderboard();
  await saidNothing(client, session);
});
