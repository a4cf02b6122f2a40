/** The client against a scripted server: rooms, and commands during lost connections. */

import { expect, test } from "vitest";
import { Refusal } from "../src/index.ts";
import { EMOTES, NEWS } from "../src/messages.ts";
import { MAX_WAITING } from "../src/requests.ts";
import { ADA, BOB, NO_MOVES, ROOM, roomState } from "./builders.ts";
import { processed, until } from "./server.ts";
import { client, joinRoom, openForEachTest, reconnect, session } from "./session.ts";

openForEachTest();

const round = {
  ...{ number: 1, deal: "d", commitment: "00", starts: 0, deadline: 1, over: false, seed: null },
  ...{ game: "robert", variant: "standard", limit: 900, public: false, help: "none" as const },
  ...{ known: "", sealed: false, winnable: false },
  runners: [ADA, BOB].map((player) => ({
    ...{ player, attempt: `d.${player.id}`, result: NO_MOVES, rank: null, colour: 0, headway: 0 },
  })),
};

test("a room is updated by full states and by progress", async () => {
  await joinRoom();
  session.send(roomState({ version: 5, round }));
  session.send(roomState({ version: 4 }));
  session.send(roomState({ version: 9, code: "OTHER" }));
  // This progress follows the state of another room, and so refers to its runners.
  session.send({ type: "Progress", counters: [{ runner: 0, home: 9, moves: 9, headway: 9 }] });
  session.send(roomState({ version: 5, round }));
  session.send({ type: "Progress", counters: [{ runner: 1, home: 3, moves: 7, headway: 5 }] });
  await processed(client, session);
  expect(client.room.get()).toMatchObject({ code: ROOM, version: 5 });
  const runners = client.room.get()?.round?.runners;
  expect(runners?.map(({ result }) => result)).toEqual([
    NO_MOVES,
    { ...NO_MOVES, home: 3, left: 49, moves: 7 },
  ]);
  expect(runners?.map(({ headway }) => headway)).toEqual([0, 5]);
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
  const { game } = await session.answer(
    "QuickMatch",
    roomState({ quick: true, public: true, bot_at: 20_000 }),
  );
  expect(game).toBe("robert");
  expect(await matched).toMatchObject({ quick: true, bot_at: 20_000 });
  expect(client.room.get()?.code).toBe(ROOM);
});

test("after a reconnect, the room is replaced even by a lower version", async () => {
  await joinRoom();
  session.send(roomState({ version: 5 }));
  await processed(client, session);
  await reconnect();
  await session.answer("JoinRoom", roomState({ version: 4 }));
  session.send(roomState({ version: 3 }));
  await processed(client, session);
  expect(client.room.get()).toMatchObject({ version: 4 });
});

test("host commands contain the room's code", async () => {
  await joinRoom();
  const terms = { game: "roosevelt", variant: "standard", limit: 300 };
  const left = { help: null, known: null, winnable: null };
  const wanted: [() => Promise<void>, object][] = [
    [() => client.startRound(), { type: "StartRound", anyway: false }],
    [() => client.startRound(true), { type: "StartRound", anyway: true }],
    [() => client.setTerms(terms), { type: "SetTerms", ...terms, ...left }],
    [() => client.proposeTerms(terms), { type: "ProposeTerms", ...terms, ...left }],
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
    await session.refuse("JoinRoom", code);
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

test("settings omitted before others are sent as their defaults", async () => {
  const created = client.createRoom({ game: "robert", seats: 2, limit: 900, winnable: true });
  const defaults = { variant: "standard", help: "none", known: "" };
  const { re, ...sent } = await session.command("CreateRoom");
  expect(sent).toMatchObject({ ...defaults, winnable: true });
  session.send(roomState({ re }));
  await created;
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
  const { name } = await session.answer("Rename", { type: "Done" });
  expect(name).toBe("Eve");
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
