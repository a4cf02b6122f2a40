import { roomCode } from "../src/app/codes.ts";
import { describe, expect, it } from "vitest";
import { SCOPES } from "../src/app/boards.ts";
import { OPERATORS, SEGMENTS } from "../src/kit/segments.ts";
import { paths, routeOf, shownCode, spokenCode, stateAt, tableOf } from "../src/app/routes.ts";

const at = (path: string) => routeOf(new URL(path, "http://samedeal.test"));

const TODAYS = {
  screen: "leaderboard",
  game: "robert",
  day: null,
  scope: "day",
  group: null,
  rules: null,
} as const;

it("has paths for all screens of the list of segments, and for no others", () => {
  const all = Object.values(paths).map((path) =>
    typeof path === "string" ? path : (path as (...fields: unknown[]) => string)("x", 1, "y"),
  );
  const firsts = new Set(all.map((path) => path.split(/[/?]/)[1]));
  expect(firsts).toEqual(new Set([...SEGMENTS, OPERATORS]));
});

describe("routeOf", () => {
  it.each([
    ["/", { screen: "home" }],
    ["/r/H7KQ2M4X", { screen: "room", code: "H7KQ2M4X" }],
    ["/r/h7kq-2m4x/", { screen: "room", code: "H7KQ2M4X" }],
    ["/new", { screen: "new" }],
    ["/new?game=golf", { screen: "new" }],
    [
      "/new?game=golf&rules=stock.turns=2;waste=-",
      { screen: "new", game: "golf", rules: "stock.turns=2;waste=-" },
    ],
    ["/own", { screen: "own", game: null, rules: "", name: "" }],
    ["/own/golf", { screen: "own", game: "golf", rules: "", name: "" }],
    [
      "/own/golf?rules=tableau.deal=1,2;waste=-&name=A%26B+C",
      { screen: "own", game: "golf", rules: "tableau.deal=1,2;waste=-", name: "A&B C" },
    ],
    ["/own/golf/more", { screen: "missing" }],
    ["/settings", { screen: "settings" }],
    ["/practice/freecell", { screen: "practice", game: "freecell" }],
    ["/practice", { screen: "alone" }],
    ["/practice/spider?rules=one-suit", { screen: "practice", game: "spider", rules: "one-suit" }],
    ["/practice/spider?rules=", { screen: "practice", game: "spider", rules: "" }],
    [
      "/practice/freecell?deal=11982",
      { screen: "known", game: "freecell", deal: "11982", rules: "", beat: "" },
    ],
    [
      "/practice/klondike?deal=00&rules=draw-three&beat=9000.120",
      { screen: "known", game: "klondike", deal: "00", rules: "draw-three", beat: "9000.120" },
    ],
    ["/statistics", { screen: "statistics" }],
    ["/statistics/more", { screen: "missing" }],
    ["/account", { screen: "account" }],
    ["/admin", { screen: "operators", page: "cases", about: "" }],
    ["/admin/acts", { screen: "operators", page: "acts", about: "" }],
    ["/admin/player/ab", { screen: "operators", page: "player", about: "ab" }],
    ["/admin/run/ab.cd", { screen: "operators", page: "run", about: "ab.cd" }],
    ["/admin/player", { screen: "missing" }],
    ["/admin/acts/ab", { screen: "missing" }],
    ["/admin/run/ab/cd", { screen: "missing" }],
    ["/settings/more", { screen: "missing" }],
    ["/daily", { screen: "dailies" }],
    ["/daily/rouge-et-noir", { screen: "daily", game: "rouge-et-noir" }],
    ["/leaderboard/robert", TODAYS],
    ["/leaderboard/robert?day=20778", { ...TODAYS, day: 20778 }],
    ["/leaderboard/robert?day=x", TODAYS],
    ["/leaderboard/robert?week=2968", { ...TODAYS, day: 2968, scope: "week" }],
    ["/leaderboard/all?by=races", { ...TODAYS, game: "all", scope: "races" }],
    ["/leaderboard/robert?by=x&group=guests", { ...TODAYS, group: "guests" }],
    ["/leaderboard/robert?group=x", TODAYS],
    ["/leaderboard/robert?by=best&rules=x", { ...TODAYS, scope: "best", rules: "x" }],
    ["/leaderboard", { screen: "missing" }],
    ["/run/d.p", { screen: "run", attempt: "d.p", at: 0, beside: null }],
    ["/run/d.p?at=x", { screen: "run", attempt: "d.p", at: 0, beside: null }],
    ["/run/d.p?beside=d.q", { screen: "run", attempt: "d.p", at: 0, beside: "d.q" }],
    ["/run/d.p?race", { screen: "ghost", attempt: "d.p" }],
    ["/deal/d", { screen: "deal", deal: "d" }],
    ["/deal/d?play", { screen: "play", deal: "d" }],
    ["/archive", { screen: "archive", month: null }],
    ["/archive?month=2026-11", { screen: "archive", month: "2026-11" }],
    ["/archive/2026-11-21", { screen: "day", date: "2026-11-21" }],
    ["/archive/2026-11-21/robert", { screen: "missing" }],
    ["/player/p", { screen: "player", player: "p" }],
    ["/player", { screen: "missing" }],
    ["/circles", { screen: "circles", page: "all", about: "" }],
    ["/circles/ab3", { screen: "circles", page: "one", about: "ab3" }],
    ["/o/ab3cd4", { screen: "circles", page: "invitation", about: "ab3cd4" }],
    ["/o", { screen: "missing" }],
    ["/circles/ab3/c", { screen: "missing" }],
    ["/watch/h7kq2/Jk1-_A", { screen: "watch", code: "H7KQ2", key: "Jk1-_A" }],
    ["/watch/h7kq2", { screen: "missing" }],
    ["/watch/h7kq2/a/b", { screen: "missing" }],
    ["/c/k3m", { screen: "challenge", challenge: "k3m" }],
    ["/c", { screen: "challenging", player: null, circle: null }],
    ["/c/k3m/x", { screen: "missing" }],
    ["/deal", { screen: "missing" }],
    ["/r/A/b", { screen: "missing" }],
    ["/%E0%A4%A", { screen: "missing" }],
  ])("reads %s", (path, route) => {
    expect(at(path)).toEqual(route);
  });

  it("parses every path that the page produces", () => {
    expect(at(paths.room("H7KQ2"))).toEqual({ screen: "room", code: "H7KQ2" });
    expect(at(paths.run("d.p"))).toEqual({ screen: "run", attempt: "d.p", at: 0, beside: null });
    expect(at(paths.run("d.p", 61_500.4))).toMatchObject({ attempt: "d.p", at: 61_500 });
    expect(at(paths.run("d.p", 5, "d.q"))).toMatchObject({ at: 5, beside: "d.q" });
    expect(at(paths.ghost("d.p"))).toEqual({ screen: "ghost", attempt: "d.p" });
    expect(at(paths.challenge("k3m"))).toEqual({ screen: "challenge", challenge: "k3m" });
    expect(at(paths.newChallenge())).toMatchObject({ player: null, circle: null });
    expect(at(paths.newChallenge({ player: "p&q" }))).toMatchObject({ player: "p&q" });
    expect(at(paths.newChallenge({ circle: "c" }))).toMatchObject({ circle: "c" });
    expect(at(paths.deal("d"))).toEqual({ screen: "deal", deal: "d" });
    expect(at(paths.play("d"))).toEqual({ screen: "play", deal: "d" });
    expect(at(paths.archive("2026-11"))).toEqual({ screen: "archive", month: "2026-11" });
    expect(at(paths.day("2026-11-21"))).toEqual({ screen: "day", date: "2026-11-21" });
    expect(at(paths.player("p"))).toEqual({ screen: "player", player: "p" });
    expect(at(paths.daily("a b"))).toEqual({ screen: "daily", game: "a b" });
    expect(at(paths.leaderboard("robert"))).toEqual(TODAYS);
    expect(at(paths.leaderboard("robert", 7))).toEqual({ ...TODAYS, day: 7 });
    for (const scope of SCOPES) {
      const wanted = { scope, group: "ranked" } as const;
      expect(at(paths.leaderboard("robert", null, wanted))).toEqual({ ...TODAYS, ...wanted });
    }
    const week = { scope: "week", group: "guests" } as const;
    expect(at(paths.leaderboard("all", 2968, week))).toMatchObject({ ...week, day: 2968 });
  });
});

it("shows a room's code in halves, and spells it letter by letter", () => {
  expect(shownCode("H7KQ2M4X")).toBe("H7KQ-2M4X");
  expect(spokenCode("H7KQ2M4X")).toBe("H 7 K Q, 2 M 4 X");
  expect(roomCode(shownCode("H7KQ2M4X"))).toBe("H7KQ2M4X");
});

describe("tableOf", () => {
  it("parses the state that the page produces, and nothing else", () => {
    expect(tableOf(structuredClone(stateAt("a.b")))).toBe("a.b");
    for (const other of [null, undefined, 1, "a.b", {}, { table: 1 }]) {
      expect(tableOf(other)).toBeNull();
    }
  });
});
