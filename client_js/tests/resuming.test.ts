/** Resuming after lost connections, and retrying after temporary refusals. */

import { expect, test } from "vitest";
import { PING_EVERY } from "../src/connection.ts";
import { viewOf } from "../src/rules/board.ts";
import { ROOM, roomState, unavailable } from "./builders.ts";
import { Dealer, NUMBER } from "./dealer.ts";
import { expectNoCommand, processed, until } from "./server.ts";
import {
  acceptSession,
  client,
  joinRoom,
  openSession,
  openDaily,
  openForEachTest,
  reconnect,
  session,
  time,
} from "./session.ts";

/** The longest backoff after a first failure, in milliseconds. */
const MAX_FIRST_PAUSE = 600;

openForEachTest();

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
    ...({ scope: "day", group: "ranked", rivals: [], middle: null, variant: null } as const),
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

test("unavailable moves are kept, resent with growing backoff, and reported as stalled", async () => {
  client.close();
  const waits: number[] = [];
  const after: typeof time.after = (milliseconds, run) => {
    if (milliseconds === PING_EVERY) return () => undefined;
    waits.push(milliseconds);
    return time.after(milliseconds, run);
  };
  await openSession({ after, random: () => 0.999 });
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
    await session.answer("PlayMove", dealer.answer(seq, "s>w"));
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
    await session.answer("PlayMove", dealer.answer(2, "s>w"));
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
  await acceptSession();
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
