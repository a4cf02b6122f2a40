/** The current attempt: how it starts, ends and stays in sync with a scripted server. */

import { expect, test } from "vitest";
import { unavailable } from "./builders.ts";
import { ATTEMPT, Dealer, NUMBER } from "./dealer.ts";
import { processed, until } from "./server.ts";
import { acceptSession, client, openDaily, openForEachTest, session, time } from "./session.ts";

openForEachTest();

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
  await session.answer("OpenAttempt", dealer.snapshot());
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
  await session.answer("OpenAttempt", {
    ...new Dealer("robert", "5".repeat(64)).snapshot("x"),
    game: "no-such-game",
  });
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
    await acceptSession();
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
