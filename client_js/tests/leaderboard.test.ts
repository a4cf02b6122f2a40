/** The watched leaderboard and its changes. */

import { expect, test } from "vitest";
import { ADA } from "./builders.ts";
import { expectNoCommand, processed } from "./server.ts";
import { client, openForEachTest, session } from "./session.ts";

/** The other fields of a leaderboard of a day's results. */
const OF_DAY = { scope: "day", group: "ranked", rivals: [], middle: null, variant: null } as const;

openForEachTest();

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

test("best runs are watched by variant", async () => {
  const best = { ...OF_DAY, type: "Leaderboard", game: "spider", day: 0, scope: "best" } as const;
  const rows = { top: [], around: [], deal: null } as const;
  const watched = client.watchLeaderboard({ game: "spider", scope: "best", variant: "two-suits" });
  const { re, variant } = await session.command("WatchLeaderboard");
  expect(variant).toBe("two-suits");
  session.send({ ...best, ...rows, re, variant: "two-suits", size: 1 });
  await watched;
  // One of the previously watched variant arrives late.
  session.send({ ...best, ...rows, variant: "one-suit", size: 2 });
  await processed(client, session);
  expect(client.leaderboard.get()).toMatchObject({ variant: "two-suits", size: 1 });
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
