/** An attempt played by another tab or device of the same player, against a scripted server. */

import { beforeEach, expect, test } from "vitest";
import { digest } from "../src/digest.ts";
import type { EventOf } from "../src/protocol.ts";
import { viewOf } from "../src/rules/board.ts";
import { Dealer, NUMBER } from "./dealer.ts";
import { expectNoCommand, processed } from "./server.ts";
import { client, openDaily, openForEachTest, reconnect, session } from "./session.ts";

openForEachTest();
let dealer: Dealer;
beforeEach(async () => {
  dealer = new Dealer("roosevelt", "5".repeat(64));
  await openDaily(dealer);
});

/** Notify the client that another session plays. */
async function taken(by: string | null = "another"): Promise<void> {
  session.send({ type: "Taken", number: NUMBER, session: by });
  await processed(client, session);
}

/** Play a move in another session; return its event. */
function movedElsewhere(): EventOf<"Attempt"> | EventOf<"Missed"> {
  const have = { seq: dealer.seq, digest: digest(viewOf(dealer.board)) };
  dealer.play("s>w");
  return dealer.opened(have);
}

/** Receive the client's takeover of the attempt, and answer. */
async function takeOver(): Promise<void> {
  const { re, take, have } = await session.command("OpenAttempt");
  expect(take).toBe(true);
  session.send({ ...dealer.opened(have), re });
}

test("an attempt played elsewhere is followed live, and cannot be moved by accident", async () => {
  await taken();
  session.send(movedElsewhere());
  session.send(movedElsewhere());
  await processed(client, session);
  const state = client.attempt.get();
  expect(state).toMatchObject({ elsewhere: true, seq: 3 });
  expect(state?.view).toEqual(viewOf(dealer.board));
  expect(client.play("s>w")).toBe(false);
  await expectNoCommand(client, session);
});

test("an attempt no longer played elsewhere is played here again", async () => {
  await taken();
  session.send({ type: "Released", number: NUMBER + 1 });
  await processed(client, session);
  expect(client.attempt.get()?.elsewhere).toBe(true);
  session.send({ type: "Released", number: NUMBER });
  await processed(client, session);
  expect(client.attempt.get()?.elsewhere).toBe(false);
  expect(client.play("s>w")).toBe(true);
  expect((await session.command("PlayMove")).seq).toBe(2);
});

test("after a takeover, moves are played here again", async () => {
  await taken();
  const done = client.takeOver();
  await takeOver();
  await done;
  expect(client.attempt.get()).toMatchObject({ elsewhere: false });
  expect(client.play("s>w")).toBe(true);
  await session.command("PlayMove");
});

test("a refused takeover has the server's reason", async () => {
  await taken();
  const done = client.takeOver();
  await session.refuse("OpenAttempt", "unknown_attempt");
  await expect(done).rejects.toMatchObject({ code: "unknown_attempt" });
  expect(client.attempt.get()).toMatchObject({ elsewhere: true });
});

test("after another session's move took the same number, nothing is pending and the client follows", async () => {
  expect(client.play("s>w")).toBe(true);
  const { re, seq } = await session.command("PlayMove");
  // Another session's move came first.
  dealer.play("s>w");
  session.send({ ...dealer.snapshot(), re });
  await taken();
  expect(seq).toBe(2);
  const state = client.attempt.get();
  expect(state).toMatchObject({ elsewhere: true, pending: 0, seq: 2 });
  expect(state?.view).toEqual(viewOf(dealer.board));
});

test("a move of this client that is accepted after all ends the following", async () => {
  expect(client.play("s>w")).toBe(true);
  const { re } = await session.command("PlayMove");
  await taken();
  session.send({ ...dealer.answer(2, "s>w"), re });
  await processed(client, session);
  expect(client.attempt.get()).toMatchObject({ elsewhere: false, seq: 2 });
});

test("a gap while following is filled by the snapshot, and following continues", async () => {
  await taken();
  movedElsewhere();
  session.send(movedElsewhere());
  const { re, take } = await session.command("OpenAttempt");
  expect(take).toBeNull();
  // The snapshot contains events that arrive before it.
  session.send(movedElsewhere());
  session.send({ ...dealer.snapshot(), re });
  await processed(client, session);
  expect(client.attempt.get()).toMatchObject({ elsewhere: true, seq: 4 });
});

test("each new session is notified again whether the attempt is played elsewhere", async () => {
  await taken();
  await reconnect("two");
  const { re, have, take } = await session.command("OpenAttempt");
  expect(take).toBeNull();
  session.send({ ...dealer.opened(have), re });
  await processed(client, session);
  expect(client.attempt.get()).toMatchObject({ elsewhere: false });
  await taken();
  expect(client.attempt.get()).toMatchObject({ elsewhere: true });
});

test("an attempt of a lost session of this client is taken over without asking", async () => {
  await reconnect("two");
  await session.command("OpenAttempt");
  await reconnect("three");
  await session.answer("OpenAttempt", ({ have }) => dealer.opened(have));
  session.send({ type: "Taken", number: NUMBER, session: "two" });
  await takeOver();
  await processed(client, session);
  expect(client.attempt.get()).toMatchObject({ elsewhere: false });
});

test("events of another attempt are ignored", async () => {
  session.send({ type: "Taken", number: NUMBER + 1, session: "another" });
  await processed(client, session);
  expect(client.attempt.get()).toMatchObject({ elsewhere: false });
});
