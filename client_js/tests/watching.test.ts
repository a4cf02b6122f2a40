/** Watching a round: its boards, as sent by the server, and across reconnects. */

import { expect, test } from "vitest";
import { Refusal } from "../src/index.ts";
import { NEWS } from "../src/messages.ts";
import type { EventOf } from "../src/protocol.ts";
import { findRuleset } from "../src/rules/catalog.ts";
import { ADA, BOB, NO_MOVES, ROOM, roomState } from "./builders.ts";
import { expectNoCommand, processed, until } from "./server.ts";
import { client, openForEachTest, reconnect, session, time } from "./session.ts";

const KEY = "Jk1c9mYw3pQ7xT2vB8sZ0A";
const RULES = findRuleset("robert", "standard");

openForEachTest();

/** Return the boards of Ada, with one card on the waste, and of Bob, still hidden. */
function watched(fields: Partial<EventOf<"Watched">> = {}): EventOf<"Watched"> {
  return {
    ...{ type: "Watched", re: NEWS, code: ROOM, round: 2, sight: "delayed", delay: 15_000 },
    ...{ game: "robert", variant: "standard", rules: RULES.digest, why: null },
    boards: [
      {
        ...{ player: ADA.id, seq: 2, redeals: 0, result: { ...NO_MOVES, moves: 1 }, problem: null },
        piles: [[0], [127, 127], [9]].map((pile) => new Uint8Array(pile)),
      },
      { player: BOB.id, seq: 0, piles: [], redeals: 0, result: NO_MOVES, problem: null },
    ],
    ...fields,
  };
}

function move(fields: Partial<EventOf<"WatchedMove">> = {}): EventOf<"WatchedMove"> {
  return {
    ...{ type: "WatchedMove", re: NEWS, round: 2, board: 0, seq: 3, redeals: 0 },
    changes: [
      [1, 1],
      [2, 0, 47],
    ],
    result: { ...NO_MOVES, moves: 2 },
    ...fields,
  };
}

async function watch(): Promise<void> {
  const watching = client.watch(ROOM, KEY);
  const { re, code, key } = await session.command("WatchRound");
  expect([code, key]).toEqual([ROOM, KEY]);
  session.send(roomState({ version: 4 }));
  session.send(watched({ re }));
  await watching;
}

function piles(at: number): readonly (readonly number[])[] | undefined {
  return client.watched.get()?.boards[at]?.view?.piles;
}

test("moves change the boards, each once", async () => {
  await watch();
  expect(client.room.get()).toMatchObject({ code: ROOM, version: 4 });
  expect(client.watched.get()).toMatchObject({ sight: "delayed", delay: 15_000, round: 2 });
  expect([piles(0), piles(1)]).toEqual([[[0], [127, 127], [9]], undefined]);
  session.send(move());
  session.send(move());
  session.send(move({ round: 1, seq: 9 }));
  session.send(
    move({
      ...{ board: 1, seq: 1, result: NO_MOVES },
      changes: [
        [0, 0, 5],
        [1, 0, 127],
      ],
    }),
  );
  session.send(roomState({ version: 5 }));
  await processed(client, session);
  expect([piles(0), piles(1)]).toEqual([
    [[0], [127], [9, 47]],
    [[5], [127], []],
  ]);
  expect(client.watched.get()?.boards[0]).toMatchObject({ seq: 3, result: { moves: 2 } });
  expect(client.room.get()).toMatchObject({ version: 5 });
});

test("after a reconnect, watching resumes, and no seat is taken", async () => {
  await watch();
  await reconnect();
  const { re, key } = await session.command("WatchRound");
  expect(key).toBe(KEY);
  session.send(roomState({ version: 3 }));
  session.send(watched({ re, round: 3 }));
  await expectNoCommand(client, session);
  expect(client.watched.get()).toMatchObject({ round: 3 });
  expect(client.room.get()).toMatchObject({ version: 3 });
});

test("after taking a seat there, a reconnect returns to the seat", async () => {
  await watch();
  const joined = client.joinRoom(ROOM);
  await session.answer("JoinRoom", roomState({ version: 5 }));
  await joined;
  await reconnect();
  const resumed = [await session.next(), await session.next()];
  expect(resumed.map((command) => command?.type)).toEqual(["JoinRoom", "WatchRound"]);
});

test("watching ends when the player runs, and the room stays", async () => {
  const joined = client.joinRoom(ROOM);
  session.send(roomState({ re: (await session.command("JoinRoom")).re }));
  await joined;
  await watch();
  session.send(watched({ sight: "ended", round: 3, boards: [] }));
  await processed(client, session);
  expect(client.watched.get()).toBeNull();
  expect(client.room.get()).toMatchObject({ code: ROOM });
  session.send(watched());
  await reconnect();
  await session.command("JoinRoom");
  await expectNoCommand(client, session);
});

test("a room that was only watched is dropped when watching ends", async () => {
  await watch();
  const stopped = client.stopWatching();
  await session.answer("StopWatching", { type: "Done" });
  await stopped;
  expect([client.room.get(), client.watched.get()]).toEqual([null, null]);
  session.send(roomState({ version: 9 }));
  await processed(client, session);
  expect(client.room.get()).toBeNull();
});

test("a refusal is reported, and nothing is watched", async () => {
  const watching = client.watch(ROOM);
  await session.refuse("WatchRound", "not_invited");
  await expect(watching).rejects.toThrow(Refusal);
  await reconnect();
  await expectNoCommand(client, session);
});

test.each(["removed", "not_invited", "still_racing", "too_many_watchers"])(
  "a reconnect refused as %s ends watching for good",
  async (code) => {
    await watch();
    await reconnect();
    await session.refuse("WatchRound", code);
    await until(client.watchEnded, (ended) => ended !== null);
    expect(client.watchEnded.get()).toEqual({ code: ROOM, why: code });
    expect(client.watched.get()).toBeNull();
    time.advance(5_000);
    await expectNoCommand(client, session);
  },
);

test("a reconnect refused only for now is retried", async () => {
  await watch();
  await reconnect();
  await session.refuse("WatchRound", "overloaded");
  await processed(client, session);
  time.advance(5_000);
  await session.answer("WatchRound", watched({ round: 3 }));
  await until(client.watched, (now) => now?.round === 3);
  expect(client.watchEnded.get()).toBeNull();
});

test("boards that a change does not fit are requested again", async () => {
  await watch();
  session.send(move({ changes: [[1, 9]] }));
  await session.answer("WatchRound", watched({ round: 2 }));
  await processed(client, session);
  expect(piles(0)).toEqual([[0], [127, 127], [9]]);
});

test("a round with unknown rules has no boards to draw", async () => {
  await watch();
  session.send(watched({ rules: "0123456789abcdef" }));
  session.send(move());
  await processed(client, session);
  expect(client.watched.get()).toMatchObject({ ruleset: null, boards: [{ view: null }, {}] });
});
