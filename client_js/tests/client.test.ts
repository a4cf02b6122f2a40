/** The client against a scripted server: rooms, attempts, leaderboards, and lost connections. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { type Client, Refusal } from "../src/index.ts";
import { PING_EVERY } from "../src/connection.ts";
import { EMOTES, NEWS, type Re } from "../src/messages.ts";
import type { EventOf } from "../src/protocol.ts";
import { MAX_WAITING } from "../src/requests.ts";
import { viewOf } from "../src/rules/board.ts";
import { ADA, BOB, NO_MOVES, ROOM, roomState } from "./builders.ts";
import { ATTEMPT, Dealer, NUMBER } from "./dealer.ts";
import {
  FakeTime,
  ScriptedServer,
  type Session,
  openedClient,
  expectNoCommand,
  processed,
  reconnected,
  until,
} from "./server.ts";

/** The other fields of a leaderboard of a day's results. */
const OF_DAY = { scope: "day", group: "ranked", rivals: [], middle: null } as const;

/** The longest backoff after a first failure, in milliseconds. */
const MAX_FIRST_PAUSE = 600;

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

/** Drop the connection, and welcome the client to its next session. */
async function reconnect(): Promise<void> {
  session = await reconnected(client, server, time, session);
}

const round = {
  ...{ number: 1, deal: "d", commitment: "00", starts: 0, deadline: 1, over: false, seed: null },
  ...{ game: "robert", variant: "standard", limit: 900, public: false, help: "none" as const },
  ...{ known: "", sealed: false },
  runners: [ADA, BOB].map((player) => ({
    ...{ player, attempt: `d.${player.id}`, result: NO_MOVES, rank: null, colour: 0 },
  })),
};

async function joinRoom(): Promise<void> {
  const joined = client.joinRoom(ROOM);
  const { re, code } = await session.command("JoinRoom");
  expect(code).toBe(ROOM);
  session.send(roomState({ re, version: 3 }));
  expect(await joined).toMatchObject({ version: 3 });
}

async function openDaily(dealer: Dealer): Promise<void> {
  const opened = client.openDaily("roosevelt");
  const { re } = await session.command("OpenDaily");
  session.send({ ...dealer.snapshot(), re });
  await opened;
}

test("a room is updated by full states and by progress", async () => {
  await joinRoom();
  session.send(roomState({ version: 5, round }));
  session.send(roomState({ version: 4 }));
  session.send(roomState({ version: 9, code: "OTHER" }));
  // This progress follows the state of another room, and so refers to its runners.
  session.send({ type: "Progress", counters: [{ runner: 0, home: 9, moves: 9 }] });
  session.send(roomState({ version: 5, round }));
  session.send({ type: "Progress", counters: [{ runner: 1, home: 3, moves: 7 }] });
  await processed(client, session);
  expect(client.room.get()).toMatchObject({ code: ROOM, version: 5 });
  const runners = client.room.get()?.round?.runners;
  expect(runners?.map(({ result }) => result)).toEqual([
    NO_MOVES,
    { ...NO_MOVES, home: 3, left: 49, moves: 7 },
  ]);
});

test("public rooms are listed, even if the session is lost meanwhile", async () => {
  const listed = client.listRooms();
  await session.command("ListRooms");
  await reconnect();
  const { re } = await session.command("ListRooms");
  const open = { code: ROOM, game: "robert", variant: "standard", limit: 900 };
  const rooms = [{ ...open, taken: 1, seats: 4, host: ADA, running: false }];
  session.send({ type: "Rooms", re, rooms });
  expect(await listed).toEqual(rooms);
});

test("a quick match is requested until there is one, even if the session is lost", async () => {
  const matched = client.quickMatch("robert");
  await session.command("QuickMatch");
  await reconnect();
  const { re, game } = await session.command("QuickMatch");
  expect(game).toBe("robert");
  session.send(roomState({ re, quick: true, public: true, bot_at: 20_000 }));
  expect(await matched).toMatchObject({ quick: true, bot_at: 20_000 });
  expect(client.room.get()?.code).toBe(ROOM);
});

test("after a reconnect, the room is replaced even by a lower version", async () => {
  await joinRoom();
  session.send(roomState({ version: 5 }));
  await processed(client, session);
  await reconnect();
  const { re } = await session.command("JoinRoom");
  session.send(roomState({ re, version: 4 }));
  session.send(roomState({ version: 3 }));
  await processed(client, session);
  expect(client.room.get()).toMatchObject({ version: 4 });
});

test("host commands contain the room's code", async () => {
  await joinRoom();
  const terms = { game: "roosevelt", variant: "standard", limit: 300 };
  const wanted: [() => Promise<void>, object][] = [
    [() => client.startRound(), { type: "StartRound", anyway: false }],
    [() => client.startRound(true), { type: "StartRound", anyway: true }],
    [() => client.setTerms(terms), { type: "SetTerms", ...terms, help: null, known: null }],
    [() => client.proposeTerms(terms), { type: "ProposeTerms", ...terms, help: null, known: null }],
    [() => client.removeMember(BOB.id), { type: "RemoveMember", player: BOB.id }],
    [() => client.handOver(BOB.id), { type: "HandOver", player: BOB.id }],
    [() => client.setLock(true), { type: "SetLock", locked: true }],
    [() => client.setPublic(true), { type: "SetPublic", public: true }],
  ];
  let version = 3;
  for (const [ask, fields] of wanted) {
    const asked = ask();
    const command = await session.next();
    expect(command).toEqual({ re: command?.re, code: ROOM, ...fields });
    session.send(roomState({ re: command?.re ?? NEWS, version: ++version }));
    await asked;
  }
});

test("emotes of the player's room are reported until the session ends", async () => {
  await joinRoom();
  const sent = client.sendEmote(EMOTES.indexOf("nice"));
  const { re, emote } = await session.command("SendEmote");
  expect(emote).toBe(2);
  const told: (number | undefined)[] = [];
  client.emoted.subscribe((emoted) => told.push(emoted?.emote));
  session.send({ type: "Emoted", code: "OTHER", player: BOB.id, emote: 1 });
  for (let twice = 0; twice < 2; twice++)
    session.send({ type: "Emoted", code: ROOM, player: BOB.id, emote: 2 });
  session.send({ type: "Done", re });
  await sent;
  expect(told).toEqual([undefined, 2, 2]);
  await reconnect();
  expect(client.emoted.get()).toBeNull();
});

test("a removed player is notified, and does not join again", async () => {
  await joinRoom();
  session.send({ type: "Removed", code: "OTHER", closed: false });
  session.send(roomState({ version: 4 }));
  await until(client.room, (now) => now?.version === 4);
  session.send({ type: "Removed", code: ROOM, closed: false });
  await until(client.removed, (removed) => removed?.code === ROOM && !removed.closed);
  expect(client.room.get()).toBeNull();
  await reconnect();
  // This command is the next one: the room was not joined again.
  await joinRoom();
  expect(client.removed.get()).toBeNull();
});

test("when a room is closed, its members are notified", async () => {
  await joinRoom();
  session.send({ type: "Removed", code: ROOM, closed: true });
  await until(client.removed, (removed) => removed?.closed ?? false);
  expect(client.room.get()).toBeNull();
});

test.each(["removed", "room_closed"])(
  "a player learns %s when rejoining after a while",
  async (code) => {
    await joinRoom();
    await reconnect();
    const { re } = await session.command("JoinRoom");
    session.send({ type: "Refused", re, code, text: "No.", wait: 0 });
    await until(client.removed, (removed) => removed?.code === ROOM);
    expect(client.removed.get()?.closed).toBe(code === "room_closed");
    expect(client.room.get()).toBeNull();
  },
);

test("room commands contain its code, and leaving clears the room", async () => {
  await expect(client.setReady(true)).rejects.toMatchObject({ code: "not_seated" });
  await joinRoom();
  const ready = client.setReady(true);
  const { re, ...fields } = await session.command("SetReady");
  expect(fields).toEqual({ type: "SetReady", code: ROOM, ready: true });
  session.send(roomState({ re, version: 4 }));
  await ready;
  const start = client.startRound();
  session.send({
    ...{ type: "Refused", re: (await session.command("StartRound")).re },
    ...{ code: "not_host", text: "Only the host starts a round.", wait: 0 },
  });
  await expect(start).rejects.toThrow(new Refusal("not_host", "Only the host starts a round."));
  const left = client.leaveRoom();
  session.send({ type: "Done", re: (await session.command("LeaveRoom")).re });
  session.send(roomState({ version: 6 }));
  await left;
  await processed(client, session);
  expect(client.room.get()).toBeNull();
});

test("an unanswered `CreateRoom` is resent with the same key", async () => {
  const created = client.createRoom({ game: "robert", variant: "standard", seats: 2, limit: 900 });
  const first = await session.command("CreateRoom");
  expect(first.key).toMatch(/^[0-9a-f]{32}$/);
  await reconnect();
  const second = await session.command("CreateRoom");
  expect({ ...second, re: first.re }).toEqual(first);
  session.send(roomState({ re: second.re }));
  expect(await created).toMatchObject({ code: ROOM });
});

test("a command that is not idempotent is refused when the connection is lost or missing", async () => {
  await joinRoom();
  const started = client.startRound();
  await session.command("StartRound");
  session.drop();
  await expect(started).rejects.toMatchObject({ code: "disconnected" });
  await expect(client.startRound()).rejects.toMatchObject({ code: "disconnected" });
  const asked = client.listDailies();
  client.close();
  await expect(asked).rejects.toMatchObject({ code: "disconnected" });
});

test("a `Rename` in flight when the connection is lost is resent", async () => {
  const renamed = client.rename("Eve");
  await session.command("Rename");
  await reconnect();
  const { re, name } = await session.command("Rename");
  expect(name).toBe("Eve");
  session.send({ type: "Done", re });
  await renamed;
  expect(client.player.get()).toEqual({ ...ADA, name: "Eve" });
});

test("the number of waiting commands is bounded", async () => {
  const asked = Array.from({ length: MAX_WAITING + 1 }, () => client.showDeal("d"));
  await expect(asked.at(-1)).rejects.toMatchObject({ code: "too_fast" });
  client.close();
  await expect(asked[0]).rejects.toMatchObject({ code: "disconnected" });
  await Promise.allSettled(asked);
});

test("a renamed player has the new name", async () => {
  const renamed = client.rename("Ada L.");
  session.send({ type: "Done", re: (await session.command("Rename")).re });
  await renamed;
  expect(client.player.get()).toEqual({ ...ADA, name: "Ada L." });
});

test("after a reconnect, the client resumes its room, leaderboard and attempt", async () => {
  await joinRoom();
  const watched = client.watchLeaderboard("robert", 7);
  const board = {
    type: "Leaderboard",
    game: "robert",
    size: 0,
    top: [],
    around: [],
    deal: null,
    ...OF_DAY,
  } as const;
  const { re: watch } = await session.command("WatchLeaderboard");
  session.send({ ...board, day: 7, re: watch });
  await watched;
  const dealer = new Dealer("roosevelt", "5".repeat(64));
  await openDaily(dealer);
  expect(client.play("s>w")).toBe(true);
  await session.command("PlayMove");

  await reconnect();
  const { re } = await session.command("OpenAttempt");
  expect(await session.command("JoinRoom")).toMatchObject({ code: ROOM });
  expect(await session.command("WatchLeaderboard")).toMatchObject({ game: "robert", day: 7 });
  await expectNoCommand(client, session);
  session.send({ ...dealer.snapshot(), re });
  const again = await session.command("PlayMove");
  expect(dealer.textOf(again)).toBe("s>w");
  expect(again).toMatchObject({ number: NUMBER, seq: 2 });
  session.send({ ...dealer.answer(2, "s>w"), re: again.re });
  expect(await until(client.attempt, (state) => state?.pending === 0)).toMatchObject({ seq: 2 });
});

test("after a reconnect, a client sends its last entry, and applies those it missed", async () => {
  const dealer = new Dealer("roosevelt", "5".repeat(64));
  await openDaily(dealer);
  for (let played = 0; played < 3; played++) client.play("s>w");
  const first = await session.command("PlayMove");
  session.send({ ...dealer.answer(2, "s>w"), re: first.re });
  await until(client.attempt, (state) => state?.seq === 2);
  await session.command("PlayMove");
  dealer.answer(3, "s>w"); // accepted, but the answer is lost

  await reconnect();
  const { re, have } = await session.command("OpenAttempt");
  const missed = dealer.opened(have);
  expect(missed).toMatchObject({ type: "Missed", since: 2, seq: 3 });
  session.send({ ...missed, re });
  const again = await session.command("PlayMove");
  expect(again.seq).toBe(4);
  session.send({ ...dealer.answer(4, "s>w"), re: again.re });
  const state = await until(client.attempt, (now) => now?.pending === 0);
  expect(state?.view).toEqual(viewOf(dealer.board));
});

test("after missed entries that do not fit, the snapshot is requested once", async () => {
  const dealer = new Dealer("roosevelt", "5".repeat(64));
  await openDaily(dealer);
  client.play("s>w");
  await session.command("PlayMove");
  await reconnect();
  const open = await session.command("OpenAttempt");
  expect(open.have).not.toBeNull();
  dealer.play("s>w");
  const event = dealer.opened(open.have);
  session.send({ ...event, seq: 9, re: open.re });
  const again = await session.command("OpenAttempt");
  expect(again.have).toBeNull();
  session.send({ ...event, seq: 9 });
  session.send({ ...dealer.snapshot(), re: again.re });
  expect(await until(client.attempt, (now) => now?.pending === 0)).toMatchObject({ seq: 2 });
  await expectNoCommand(client, session);
});

const unavailable = (re: Re, code = "unavailable", wait = 0): EventOf<"Refused"> => ({
  ...{ type: "Refused", re, code, text: "Try again.", wait },
});

test("unavailable moves are kept, resent with growing backoff, and reported as stalled", async () => {
  client.close();
  const waits: number[] = [];
  const after: FakeTime["after"] = (milliseconds, run) => {
    if (milliseconds === PING_EVERY) return () => undefined;
    waits.push(milliseconds);
    return time.after(milliseconds, run);
  };
  [client, session] = await openedClient(server, { ...time, after, random: () => 0.999 });
  const dealer = new Dealer("roosevelt", "5".repeat(64));
  await openDaily(dealer);
  expect(client.stalled.get()).toBe(false);
  for (let played = 0; played < 3; played++) client.play("s>w");
  waits.length = 0;
  for (let failures = 0; failures < 8; failures++) {
    for (const seq of [2, 3, 4]) {
      const move = await session.command("PlayMove");
      expect(move.seq).toBe(seq);
      expect(dealer.textOf(move)).toBe("s>w");
      session.send(unavailable(move.re));
    }
    await expectNoCommand(client, session);
    expect(client.stalled.get()).toBe(true);
    expect(client.attempt.get()).toMatchObject({ pending: 3, refusal: null });
    expect(waits.length).toBe(failures + 1);
    time.advance(waits.at(-1)!);
  }
  expect(waits[0]).toBeLessThan(1_000);
  expect(waits.at(-1)).toBeLessThanOrEqual(4_000);
  expect(waits.at(-1)).toBeGreaterThan(3_900);
  for (const seq of [2, 3, 4]) {
    const { re } = await session.command("PlayMove");
    session.send({ ...dealer.answer(seq, "s>w"), re });
  }
  await until(client.attempt, (now) => now?.pending === 0);
  expect(client.stalled.get()).toBe(false);
});

test.each(["unavailable", "overloaded"])(
  "commands refused as %s are retried after the server's wait",
  async (code) => {
    const dealer = new Dealer("roosevelt", "5".repeat(64));
    await openDaily(dealer);
    client.play("s>w");
    const joined = client.joinRoom(ROOM);
    session.send(unavailable((await session.command("PlayMove")).re, code, 4_000));
    session.send(unavailable((await session.command("JoinRoom")).re, code, 5_000));
    await processed(client, session);
    time.advance(3_999);
    await expectNoCommand(client, session);
    time.advance(1);
    const { re } = await session.command("PlayMove");
    session.send({ ...dealer.answer(2, "s>w"), re });
    await until(client.attempt, (now) => now?.pending === 0);
    time.advance(999);
    await expectNoCommand(client, session);
    time.advance(1);
    session.send(roomState({ re: (await session.command("JoinRoom")).re }));
    await joined;
  },
);

test("unavailable idempotent commands are retried for as long as they are needed", async () => {
  const opened = client.openDaily("roosevelt");
  const joined = client.joinRoom(ROOM);
  session.send(unavailable((await session.command("OpenDaily")).re));
  session.send(unavailable((await session.command("JoinRoom")).re));
  await until(client.stalled, (stalled) => stalled);
  time.advance(600);
  const again = await session.command("OpenDaily");
  session.send({ ...new Dealer("roosevelt", "5".repeat(64)).snapshot(), re: again.re });
  await opened;
  expect(client.stalled.get()).toBe(true);
  session.send(roomState({ re: (await session.command("JoinRoom")).re }));
  await joined;
  expect(client.stalled.get()).toBe(false);

  const unwanted = client.openDaily("roosevelt");
  session.send(unavailable((await session.command("OpenDaily")).re));
  await until(client.stalled, (stalled) => stalled);
  client.closeAttempt();
  time.advance(600);
  await expect(unwanted).rejects.toMatchObject({ code: "unavailable" });
  expect(client.stalled.get()).toBe(false);
  await expectNoCommand(client, session);
});

test("after several reconnects, subscriptions are requested once", async () => {
  await openDaily(new Dealer("roosevelt", "5".repeat(64)));
  await reconnect();
  session.send(unavailable((await session.command("OpenAttempt")).re));
  await until(client.stalled, (stalled) => stalled);
  session.drop();
  await until(client.status, (status) => status === "waiting");
  expect(client.stalled.get()).toBe(false);
  time.advance(200);
  session = await server.session();
  await session.welcome();
  await until(client.status, (status) => status === "open");
  await session.command("OpenAttempt");
  time.advance(5_000);
  await expectNoCommand(client, session);
});

test("after a reconnect, missing objects are cleared, and unavailable ones retried", async () => {
  await joinRoom();
  await openDaily(new Dealer("roosevelt", "5".repeat(64)));
  await reconnect();
  const open = await session.command("OpenAttempt");
  const join = await session.command("JoinRoom");
  session.send({ type: "Refused", re: join.re, code: "unknown_room", text: "Gone.", wait: 0 });
  session.send({ type: "Refused", re: open.re, code: "unavailable", text: "Try again.", wait: 0 });
  await processed(client, session);
  expect(client.room.get()).toBeNull();
  expect(client.attempt.get()).not.toBeNull();
  time.advance(MAX_FIRST_PAUSE);
  const again = await session.command("OpenAttempt");
  session.send({ type: "Refused", re: again.re, code: "unknown_attempt", text: "Gone.", wait: 0 });
  await processed(client, session);
  expect(client.attempt.get()).toBeNull();
});

test("when a round starts, its attempt is opened", async () => {
  const dealer = new Dealer("roosevelt", "5".repeat(64));
  session.send(dealer.snapshot());
  const attempt = await until(client.attempt, (state) => state !== null);
  expect(attempt).toMatchObject({ id: ATTEMPT, game: "roosevelt", seq: 1, pending: 0 });
});

test("an attempt ended by the server as stuck is over, even with a move in flight", async () => {
  const dealer = new Dealer("roosevelt", "5".repeat(64));
  await openDaily(dealer);
  client.play("s>w");
  const move = await session.command("PlayMove");
  const result = { ...dealer.result, end: "stuck" as const };
  session.send({ type: "Ended", number: NUMBER, seq: 2, result });
  const over = await until(client.attempt, (state) => state?.result.end === "stuck");
  expect(over).toMatchObject({ seq: 2, pending: 0, result });
  session.send({ ...dealer.snapshot(), re: move.re, seq: 2, result });
  await processed(client, session);
  expect(client.attempt.get()).toEqual(over);
  expect(client.play("s>w")).toBe(false);
});

test("a gap requests the snapshot, and events of a closed attempt are ignored", async () => {
  const dealer = new Dealer("roosevelt", "5".repeat(64));
  await openDaily(dealer);
  dealer.play("s>w");
  session.send(dealer.play("s>w"));
  const { re } = await session.command("OpenAttempt");
  session.send({ ...dealer.snapshot(), re });
  await until(client.attempt, (state) => state?.seq === 3);
  client.play("s>w");
  const move = await session.command("PlayMove");
  client.closeAttempt();
  session.send({ ...dealer.snapshot(), re: move.re });
  session.send(dealer.play("s>w"));
  await processed(client, session);
  expect(client.attempt.get()).toBeNull();
  expect(client.play("s>w")).toBe(false);
});

test("an attempt at an unknown game is rejected", async () => {
  const opened = client.openAttempt("x");
  const { re } = await session.command("OpenAttempt");
  session.send({ ...new Dealer("robert", "5".repeat(64)).snapshot("x"), re, game: "no-such-game" });
  await expect(opened).rejects.toMatchObject({ code: "unknown_game" });
  expect(client.attempt.get()).toBeNull();
});

test("an attempt is opened only if its rules are known", async () => {
  const opened = client.openAttempt("x");
  const { re } = await session.command("OpenAttempt");
  const rules = "0".repeat(16);
  session.send({ ...new Dealer("robert", "5".repeat(64)).snapshot("x"), re, rules });
  await expect(opened).rejects.toMatchObject({ code: "unknown_rules" });
  expect(client.attempt.get()).toBeNull();
});

test("resigning uses the number after the pending moves, and retries after a snapshot", async () => {
  const dealer = new Dealer("roosevelt", "5".repeat(64));
  await openDaily(dealer);
  client.play("s>w");
  const move = await session.command("PlayMove");
  const resigned = client.resign();
  const first = await session.command("Resign");
  expect(first.seq).toBe(3);
  session.send({ type: "Refused", re: move.re, code: "too_fast", text: "Slow down.", wait: 0 });
  session.send({ ...dealer.snapshot(), re: first.re });
  const second = await session.command("Resign");
  expect(second.seq).toBe(2);
  const result = { ...dealer.result, end: "resigned" as const };
  session.send({ type: "Ended", re: second.re, number: NUMBER, seq: 2, result });
  await resigned;
  expect(client.attempt.get()).toMatchObject({
    result: { end: "resigned" },
    refusal: "Slow down.",
  });
});

test.each(["before", "after"])(
  "a resignation %s a reconnect is sent when the session has opened the attempt",
  async (when) => {
    const dealer = new Dealer("roosevelt", "5".repeat(64));
    await openDaily(dealer);
    session.drop();
    await until(client.status, (status) => status === "waiting");
    const early = when === "before" ? client.resign() : null;
    time.advance(300);
    session = await server.session();
    await session.welcome();
    await until(client.status, (status) => status === "open");
    const resigned = early ?? client.resign();
    const number = NUMBER + 1;
    for (const opened of [await session.command("OpenAttempt"), await session.next()]) {
      session.send({ ...dealer.snapshot(), re: opened!.re, number });
    }
    const { re, ...resign } = await session.command("Resign");
    expect(resign).toEqual({ type: "Resign", number, seq: 2 });
    dealer.resign();
    session.send({ type: "Ended", re, number, seq: 2, result: dealer.result });
    await resigned;
    expect(client.attempt.get()).toMatchObject({ seq: 2, result: { end: "resigned" } });
  },
);

test("answers to moves with the same number are matched in the order of sending", async () => {
  const dealer = new Dealer("roosevelt", "5".repeat(64));
  await openDaily(dealer);
  for (let played = 0; played < 2; played++) client.play("s>w");
  const [first, second] = [await session.command("PlayMove"), await session.command("PlayMove")];
  session.send({ ...unavailable(first.re), code: "too_fast" });
  await until(client.attempt, (now) => now?.pending === 0);
  for (let played = 0; played < 2; played++) client.play("s>w");
  const again = [await session.command("PlayMove"), await session.command("PlayMove")];
  expect(again.map(({ re }) => re)).toEqual([first.re, second.re]);
  // The snapshot answers the first move with this number, and leaves the later one pending.
  session.send({ ...dealer.snapshot(), re: second.re });
  await processed(client, session);
  expect(client.attempt.get()).toMatchObject({ pending: 2 });
  for (const { seq, re } of again) session.send({ ...dealer.answer(seq, "s>w"), re });
  expect(await until(client.attempt, (now) => now?.pending === 0)).toMatchObject({ seq: 3 });
});

test("a leaderboard change keeps omitted parts", async () => {
  const entry = { rank: 1, player: ADA, left: 12, time: 9_000, moves: 50, value: 0 };
  const middle = { left: 12, time: 9_000, moves: 50, value: 0 };
  const none = { top: null, around: null, rivals: null, middle: null };
  const watched = client.watchLeaderboard("robert", 9);
  const { re } = await session.command("WatchLeaderboard");
  // A change of the previously watched leaderboard.
  session.send({ type: "LeaderboardChange", ...none, size: 7, top: [] });
  const board = {
    ...OF_DAY,
    game: "robert",
    day: 9,
    size: 1,
    top: [entry],
    around: [],
    deal: null,
  };
  session.send({ type: "Leaderboard", re, ...board });
  await watched;
  session.send({ type: "LeaderboardChange", ...none, size: 2, around: [entry] });
  await processed(client, session);
  expect(client.leaderboard.get()).toMatchObject({ ...board, size: 2, around: [entry] });
  session.send({ type: "LeaderboardChange", ...none, size: 2, rivals: [entry], middle });
  session.send({ type: "LeaderboardChange", ...none, size: 3 });
  await processed(client, session);
  const now = { ...board, size: 3, around: [entry], rivals: [entry], middle };
  expect(client.leaderboard.get()).toMatchObject(now);
  session.send({ type: "LeaderboardChange", ...none, size: 0, top: [] });
  await processed(client, session);
  expect(client.leaderboard.get()).toMatchObject({ size: 0, middle: null });
});

test("a leaderboard is watched by scope, period and group", async () => {
  const board = {
    ...OF_DAY,
    type: "Leaderboard",
    size: 0,
    top: [],
    around: [],
    deal: null,
  } as const;
  const wanted = { game: "all", scope: "week", group: "guests" } as const;
  const watched = client.watchLeaderboard(wanted);
  const { re, ...asked } = await session.command("WatchLeaderboard");
  expect(asked).toMatchObject({ ...wanted, day: null });
  session.send({ ...board, re, ...wanted, day: 2968 });
  await watched;
  for (const other of [{ scope: "day" }, { group: "ranked" }, { game: "robert" }] as const) {
    session.send({ ...board, ...wanted, day: 2968, size: 5, ...other });
  }
  await processed(client, session);
  expect(client.leaderboard.get()).toMatchObject({ ...wanted, day: 2968, size: 0 });
  void client.watchLeaderboard({ game: "robert", group: "ranked" }).catch(() => undefined);
  expect(await session.command("WatchLeaderboard")).toMatchObject({
    scope: "day",
    group: "ranked",
  });
});

test("only the watched leaderboard is shown", async () => {
  const board = {
    ...OF_DAY,
    type: "Leaderboard",
    size: 0,
    top: [],
    around: [],
    deal: null,
    day: 9,
  } as const;
  const robert = client.watchLeaderboard("robert");
  const asked = await session.command("WatchLeaderboard");
  expect(asked).toMatchObject({ game: "robert", day: null });
  session.send({ ...board, game: "robert", re: asked.re });
  await robert;
  expect(client.leaderboard.get()).toMatchObject({ game: "robert" });

  const deuces = client.watchLeaderboard("deuces", 9);
  session.send({ ...board, game: "robert" });
  await processed(client, session);
  expect(client.leaderboard.get()).toBeNull();
  const refused = await session.command("WatchLeaderboard");
  session.send({ type: "Refused", re: refused.re, code: "unknown_day", text: "No.", wait: 0 });
  await expect(deuces).rejects.toMatchObject({ code: "unknown_day" });
  await client.unwatchLeaderboard();
  await expectNoCommand(client, session);
});
