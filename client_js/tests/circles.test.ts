/** Circles: the watched one, across changes and reconnects, and the list. */

import { beforeEach, expect, test } from "vitest";
import { type CircleCommands, until } from "../src/index.ts";
import { NEWS } from "../src/messages.ts";
import type { EventOf } from "../src/protocol.ts";
import { ADA, BOB } from "./builders.ts";
import { expectNoCommand, processed } from "./server.ts";
import { client, openForEachTest, reconnect, session, time } from "./session.ts";

const ID = "c4m7q2w9r5t8xkz3";
const OTHER = "d4m7q2w9r5t8xkz3";
const LINK = "f4m7q2w9r5t8xkz3f4m7q2w9r5t8xkz3";

openForEachTest();
let circles: CircleCommands;
beforeEach(async () => {
  circles = await client.circles();
});

/** Return a circle created by Ada and joined by Bob. */
function circle(fields: Partial<EventOf<"Circle">> = {}): EventOf<"Circle"> {
  return {
    ...{ type: "Circle", re: NEWS, circle: ID, version: 4, name: "Thursdays", owner: ADA.id },
    ...{ link: LINK, founded: 1_000, season: null, season_weeks: null, seasons: [] },
    ...{ league: null, rounds: [], webhook: null, challenges: [], answer: null },
    members: [
      { player: ADA, since: 1_000 },
      { player: BOB, since: 2_000 },
    ],
    ...fields,
  };
}

function summary(id: string, name: string) {
  return { circle: id, name, owned: true, members: 2, since: 1_000, muted: false, season: null };
}

async function watch(): Promise<void> {
  const watching = circles.watch(ID);
  const { re, circle: id } = await session.command("WatchCircle");
  expect(id).toBe(ID);
  session.send(circle({ re }));
  await watching;
}

async function refuse(re: EventOf<"Refused">["re"], code: string, wait = 0): Promise<void> {
  session.send({ type: "Refused", re, code, text: "No.", wait });
  await processed(client, session);
}

test("repeated calls for circles return the same object", async () => {
  expect(await client.circles()).toBe(circles);
});

test("the watched circle is updated by answers and by unsolicited events", async () => {
  await watch();
  session.send(circle({ version: 5, name: "Fridays" }));
  await until(circles.circle, ({ name }) => name === "Fridays");
  const renaming = circles.rename(ID, "Sundays");
  await session.answer("RenameCircle", ({ name }) => circle({ version: 6, name }));
  await renaming;
  expect(circles.circle.get()).toMatchObject({ version: 6, name: "Sundays" });
});

test("events that are older or of another circle change nothing", async () => {
  await watch();
  const known = circles.circle.get();
  session.send(circle({ version: 3, name: "Before" }));
  session.send(circle({ version: 9, circle: OTHER }));
  session.send({ type: "CircleGone", circle: OTHER, deleted: true });
  await processed(client, session);
  expect(circles.circle.get()).toBe(known);
  expect(circles.gone.get()).toBeNull();
});

test("creating or joining a circle does not watch it", async () => {
  await watch();
  const creating = circles.create("Sundays");
  const created = await session.command("CreateCircle");
  expect(created).toMatchObject({ name: "Sundays", key: expect.stringMatching(/^[0-9a-f]{32}$/) });
  session.send(circle({ re: created.re, circle: OTHER, name: "Sundays" }));
  expect((await creating).circle).toBe(OTHER);
  expect(circles.circle.get()?.circle).toBe(ID);
});

test("losing a circle is reported until another one is watched", async () => {
  await watch();
  session.send({ type: "CircleGone", circle: ID, deleted: true });
  await until(circles.gone, (gone) => gone !== null);
  expect(circles.gone.get()).toMatchObject({ circle: ID, deleted: true });
  expect(circles.circle.get()).toBeNull();
  await watch();
  expect(circles.gone.get()).toBeNull();
});

test("after a reconnect the circle is requested again, and a lost one is gone", async () => {
  await watch();
  await reconnect();
  const again = await session.command("WatchCircle");
  session.send(circle({ re: again.re, version: 9 }));
  await until(circles.circle, ({ version }) => version === 9);

  await reconnect("session-3");
  const { re } = await session.command("WatchCircle");
  await refuse(re, "unknown_circle");
  expect(circles.circle.get()).toBeNull();
  expect(circles.gone.get()).toEqual({ circle: ID, deleted: false });
});

test("leaving the watched circle lists the others, and reports no loss", async () => {
  await watch();
  const leaving = circles.leave(ID);
  await session.answer("LeaveCircle", {
    type: "Circles",
    circles: [summary(OTHER, "Sundays")],
    unreadable: [],
  });
  session.send({ type: "CircleGone", circle: ID, deleted: false });
  await leaving;
  await processed(client, session);
  expect(circles.circle.get()).toBeNull();
  expect(circles.gone.get()).toBeNull();
  expect(circles.circles.get()).toMatchObject([{ circle: OTHER, name: "Sundays" }]);
});

test("a watched circle is not requested after leaving it", async () => {
  await watch();
  const stopping = circles.unwatch();
  await session.answer("UnwatchCircle", { type: "Done" });
  await stopping;
  expect(circles.circle.get()).toBeNull();
  await reconnect();
  await expectNoCommand(client, session);
});

test("idempotent commands are resent in the next session; leaving is not", async () => {
  const joining = circles.join(LINK);
  await session.command("JoinCircle");
  const leaving = circles.leave(ID);
  await session.command("LeaveCircle");
  const refusal = leaving.catch((error: unknown) => error);
  await reconnect();
  expect(await refusal).toMatchObject({ code: "disconnected" });
  const { link } = await session.answer("JoinCircle", circle());
  expect(link).toBe(LINK);
  expect((await joining).name).toBe("Thursdays");
});

test.each(["overloaded", "too_fast"])("a table is requested again after %s", async (code) => {
  const asking = circles.table(ID, "week", 2_960);
  const first = await session.command("GetCircleTable");
  expect(first).toMatchObject({ circle: ID, span: "week", period: 2_960 });
  await refuse(first.re, code, 500);
  time.advance(2_000);
  const { re } = await session.command("GetCircleTable");
  const table = { circle: ID, span: "week", period: 2_960, first: 20_713, last: 20_719 } as const;
  session.send({ type: "CircleTable", re, ...table, rows: [], records: [], games: [] });
  expect(await asking).toMatchObject({ first: 20_713, rows: [] });
});

test("of several waiting tables, only the latest is requested again", async () => {
  const one = circles.table(ID, "week");
  await refuse((await session.command("GetCircleTable")).re, "too_fast", 500);
  const other = circles.table(ID, "day");
  const { re } = await session.command("GetCircleTable");
  const table = { circle: ID, span: "day", period: 20_719, first: 20_719, last: 20_719 } as const;
  session.send({ type: "CircleTable", re, ...table, rows: [], records: [], games: [] });
  expect(await other).toMatchObject({ span: "day" });
  time.advance(2_000);
  await expect(one).rejects.toMatchObject({ code: "too_fast" });
  await expectNoCommand(client, session);
});

test("a command with a long wait is refused", async () => {
  const renaming = circles.rename(ID, "Sundays");
  await session.refuse("RenameCircle", "too_fast", { wait: 5_000 });
  await expect(renaming).rejects.toMatchObject({ code: "too_fast" });
});

test("the settings of a season and a league reach the server unchanged", async () => {
  const setting = circles.setSeason(ID, 6);
  const season = await session.command("SetCircleSeason");
  expect(season.weeks).toBe(6);
  session.send(circle({ re: season.re }));
  await setting;
  const terms = { every: "day", games: ["robert", "deuces"], limit: 600, drop: 2, help: "undo" };
  const playing = circles.setLeague(ID, terms as Parameters<CircleCommands["setLeague"]>[1]);
  const league = await session.command("SetCircleLeague");
  expect(league.league).toEqual(terms);
  session.send(circle({ re: league.re }));
  await playing;
});
