/** The HTTP interface of a real server. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Api, Refusal, games } from "../src/index.ts";
import { findStoredRuleset } from "../src/rules/catalog.ts";
import { ServerNode } from "./node.ts";

const node = new ServerNode();
let api: Api;

beforeAll(async () => {
  api = new Api({ origin: `http://${await node.host()}` });
}, 60_000);
afterAll(() => node.stop());

async function refusalOf(answer: Promise<unknown>): Promise<Refusal> {
  const error = await answer.catch((reason: unknown) => reason);
  if (!(error instanceof Refusal)) throw new TypeError(`${String(error)} is no refusal.`);
  return error;
}

test("deals of today and tomorrow have commitments but no seeds, later ones await the pool", async () => {
  const { date, days } = await api.dailies();
  expect(days).toHaveLength(15);
  const [today, tomorrow, later] = days;
  expect([today, tomorrow, later].map((day) => day?.deals.length)).toEqual([8, 8, 0]);
  expect(await api.day(date)).toEqual(today);
  for (const { commitment, seed } of today?.deals ?? []) {
    expect(commitment).toMatch(/^[0-9a-f]{64}$/);
    expect(seed).toBeNull();
  }
});

test("a leaderboard is requested with its rows and its group", async () => {
  const { date } = await api.dailies();
  const board = await api.board("day", "robert", date, { from: 3, count: 5, group: "guests" });
  expect(board).toMatchObject({ scope: "day", game: "robert", period: date, group: "guests" });
  expect(board.rows).toEqual([]);
});

test("the served rules equal the library's", async () => {
  const { games: names, rules } = await api.games();
  expect(Object.keys(names)).toEqual(games.map(({ id }) => id));
  const listed = games.flatMap(({ id, variants }) => variants.map((variant) => [id, variant.id]));
  expect(rules.filter((each) => each.listed).map((each) => [each.game, each.variant])).toEqual(
    listed,
  );
  for (const { game, variant, digest, piles, rules: served } of rules) {
    const ruleset = findStoredRuleset(game, variant, digest);
    expect([ruleset.pileNames, ruleset.rules]).toEqual([piles, served]);
  }
});

test("the other answers have their shapes", async () => {
  const { date } = await api.dailies();
  expect((await api.curves(date, "robert")).end).toBeNull();
  expect((await api.player("ada0000000000000")).games).toEqual([]);
  expect((await api.archive()).days).toEqual([]);
});

test("refusals are thrown with their code and sentence", async () => {
  const { deals } = await api.day((await api.dailies()).date);
  const open = await refusalOf(api.deal(deals[0]?.deal ?? ""));
  expect([open.code, open.wait]).toEqual(["deal_open", 0]);
  expect(open.message).toMatch(/still being played/);
  expect((await refusalOf(api.runs(deals[0]?.deal ?? ""))).code).toBe("deal_open");
  expect((await refusalOf(api.run("a b?c"))).code).toBe("unknown_run");
  expect((await refusalOf(api.board("day", "robert", "x", { from: 0 }))).code).toBe("bad_request");
});

test("a server without an answer is a refusal too, with the error as its cause", async () => {
  const nowhere = new Api({ origin: "http://127.0.0.1:1" });
  const refusal = await refusalOf(nowhere.dailies());
  expect(refusal.code).toBe("disconnected");
  expect(refusal.cause).toMatchObject({ cause: { message: "bad port" } });
});

test.each([200, 502])(
  "an answer of %i that is not JSON is a refusal with its cause",
  async (status) => {
    const proxy = createServer((_, response) => response.writeHead(status).end("<h1>Hello</h1>"));
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const { port } = proxy.address() as AddressInfo;
    const refusal = await refusalOf(new Api({ origin: `http://127.0.0.1:${port}` }).dailies());
    expect(refusal.code).toBe("unavailable");
    expect(refusal.cause).toBeInstanceOf(SyntaxError);
    proxy.close();
  },
);

test("an answer that breaks off is a refusal with its cause", async () => {
  const proxy = createServer((_, response) => {
    response.writeHead(200, { "Content-Length": 9 }).write("{");
    setImmediate(() => response.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = proxy.address() as AddressInfo;
  const refusal = await refusalOf(new Api({ origin: `http://127.0.0.1:${port}` }).dailies());
  expect(refusal.code).toBe("disconnected");
  expect(refusal.cause).toBeInstanceOf(TypeError);
  proxy.close();
});

test.each([
  "ws://play.example.org",
  "wss://play.example.org",
  "play.example.org",
  "localhost:8000",
])("%s is not a site's origin", (origin) => {
  expect(() => new Api({ origin })).toThrow(`must start with https:// or http://: ${origin}`);
});

test.each(["", "/games/samedeal", "https://play.example.org", "HTTP://localhost:8000"])(
  "'%s' is an origin",
  (origin) => {
    expect(new Api({ origin })).toBeInstanceOf(Api);
  },
);
