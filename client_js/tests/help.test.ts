/** Undo and hints: predicted where that is safe, answered by the server, and resent. */

import { expect, test } from "vitest";
import { Attempt } from "../src/attempt.ts";
import type { EventOf } from "../src/protocol.ts";
import { viewOf } from "../src/rules/board.ts";
import { UNSEEN } from "../src/rules/cards.ts";
import { hint } from "../src/rules/hints.ts";
import { moveText, seenText } from "../src/rules/notation.ts";
import { Dealer } from "./dealer.ts";
import { processed } from "./server.ts";
import { client, openForEachTest, reconnect, session } from "./session.ts";

openForEachTest();
let dealer: Dealer;

async function open(help: "none" | "undo" | "hints" = "hints"): Promise<void> {
  dealer = new Dealer("roosevelt", "5".repeat(64), undefined, help);
  const opened = client.openAttempt(dealer.snapshot().attempt);
  await session.answer("OpenAttempt", dealer.snapshot());
  await opened;
}

async function play(move: string): Promise<void> {
  expect(client.play(move)).toBe(true);
  const { seq } = await session.command("PlayMove");
  session.send(dealer.answer(seq, move));
  await processed(client, session);
}

const state = () => client.attempt.get()!;
const shown = () => state().view.piles.map(seenText);
const truth = () => viewOf(dealer.board).piles.map(seenText);

async function answerUndo(): Promise<void> {
  const { seq, re } = await session.command("Undo");
  session.send({ ...dealer.undo(seq), re });
  await processed(client, session);
}

test("an undo immediately shows the view before the move, and then the server's", async () => {
  await open("undo");
  const start = shown();
  expect(state()).toMatchObject({ help: "undo", canUndo: false });
  await play("s>w");
  const dealt = shown();
  await play("s>w");
  expect(client.undo()).toBe(true);
  expect(shown()).toEqual(dealt);
  expect(client.undo()).toBe(true);
  expect(shown()).toEqual(start);
  expect(state()).toMatchObject({ canUndo: false, pending: 2, result: { undos: 0 } });
  expect(client.undo()).toBe(false);
  await answerUndo();
  await answerUndo();
  expect(shown()).toEqual(truth());
  expect(shown()).toEqual(start);
  expect(state()).toMatchObject({ pending: 0, seq: 5, result: { undos: 2, moves: 4 } });
});

test("an unacknowledged move can be undone, and play continues from there", async () => {
  await open("undo");
  const start = shown();
  client.play("s>w");
  client.undo();
  expect(shown()).toEqual(start);
  client.play("s>w");
  expect(state()).toMatchObject({ pending: 3, view: { moves: 3 } });
  for (const type of ["PlayMove", "Undo", "PlayMove"] as const) {
    const command = await session.command(type);
    if (command.type === "Undo") session.send({ ...dealer.undo(command.seq), re: command.re });
    else session.send(dealer.answer(command.seq, "s>w"));
  }
  await processed(client, session);
  expect(shown()).toEqual(truth());
  expect(state()).toMatchObject({ pending: 0, seq: 4 });
});

test("a view not seen here before shows after the answer, and no moves are taken until then", async () => {
  const before = new Dealer("roosevelt", "5".repeat(64), undefined, "undo");
  before.play("s>w");
  const attempt = new Attempt(before.snapshot());
  const dealt = attempt.state().view.piles.map(seenText);
  expect(attempt.undo()).toBe(true);
  expect(attempt.state().view.piles.map(seenText)).toEqual(dealt);
  expect(attempt.undo()).toBe(false);
  expect(attempt.play("s>w")).toBe(false);
  expect(attempt.missed(before.undo(3) as EventOf<"Missed">)).toBe(true);
  expect(attempt.state()).toMatchObject({ pending: 0, canUndo: false });
  const stock = attempt.state().view.piles[attempt.state().ruleset.stock];
  expect(stock?.every((card) => card === UNSEEN)).toBe(true);
  expect(attempt.play("s>w")).toBe(true);
});

test("without permission, there is no undo and no hint", async () => {
  await open("none");
  await play("s>w");
  expect(state()).toMatchObject({ help: "none", canUndo: false });
  expect(client.undo()).toBe(false);
  await expect(client.hint()).rejects.toMatchObject({ code: "no_help" });
});

test("a refused undo is dropped, with a reason", async () => {
  await open("undo");
  await play("s>w");
  const dealt = shown();
  client.undo();
  await session.refuse("Undo", "too_many_moves", { text: "No more." });
  await processed(client, session);
  expect(shown()).toEqual(dealt);
  expect(state()).toMatchObject({ pending: 0, refusal: "No more.", canUndo: true });
});

test("an unanswered undo is resent after a reconnect", async () => {
  await open("undo");
  await play("s>w");
  client.undo();
  const { seq } = await session.command("Undo");
  dealer.undo(seq); // accepted, but the answer is lost
  await reconnect();
  await session.answer("OpenAttempt", ({ have }) => dealer.opened(have));
  await processed(client, session);
  expect(shown()).toEqual(truth());
  expect(state()).toMatchObject({ pending: 0, seq: 3, result: { undos: 1 } });
});

test("a hint is a move, shown until the next move", async () => {
  await open();
  const asked = client.hint();
  // No move takes the number of the hint's entry.
  expect(client.play("s>w")).toBe(false);
  const { seq, re } = await session.command("Hint");
  session.send({ ...dealer.hint(seq), re });
  const move = moveText(dealer.board.ruleset, hint(dealer.board)!);
  expect(await asked).toBe(move);
  expect(state()).toMatchObject({ hint: move, seq: 2, result: { hints: 1 } });
  client.play("s>w");
  expect(state().hint).toBeNull();
  const { seq: next } = await session.command("PlayMove");
  expect(next).toBe(3);
});

test("a hint with a lost answer is requested again", async () => {
  await open();
  const asked = client.hint();
  const { seq } = await session.command("Hint");
  dealer.hint(seq);
  await reconnect();
  const opened = await session.command("OpenAttempt");
  session.send({ ...dealer.snapshot(), re: opened.re });
  let command = await session.next();
  while (command?.type === "OpenAttempt") {
    session.send({ ...dealer.snapshot(), re: command.re });
    command = await session.next();
  }
  expect(command).toMatchObject({ type: "Hint", seq: 3 });
  session.send({ ...dealer.hint(3), re: command!.re });
  expect(await asked).not.toBeNull();
  expect(state()).toMatchObject({ seq: 2, result: { hints: 1 } });
});
