import { describe, expect, it } from "vitest";
import { paths, roomCode, routeOf, stateAt, tableOf } from "../src/routes.ts";

const at = (path: string) => routeOf(new URL(path, "http://samedeal.test"));

describe("routeOf", () => {
  it.each([
    ["/", { screen: "home" }],
    ["/r/H7KQ2", { screen: "room", code: "H7KQ2" }],
    ["/r/h7kq2/", { screen: "room", code: "H7KQ2" }],
    ["/new", { screen: "new" }],
    ["/settings", { screen: "settings" }],
    ["/account", { screen: "account" }],
    ["/settings/more", { screen: "missing" }],
    ["/daily", { screen: "dailies" }],
    ["/daily/rouge-et-noir", { screen: "daily", game: "rouge-et-noir" }],
    ["/leaderboard/robert", { screen: "leaderboard", game: "robert", day: null }],
    ["/leaderboard/robert?day=20778", { screen: "leaderboard", game: "robert", day: 20778 }],
    ["/leaderboard/robert?day=x", { screen: "leaderboard", game: "robert", day: null }],
    ["/leaderboard", { screen: "missing" }],
    ["/run/d.p", { screen: "run", attempt: "d.p", at: 0, beside: null }],
    ["/run/d.p?at=x", { screen: "run", attempt: "d.p", at: 0, beside: null }],
    ["/run/d.p?beside=d.q", { screen: "run", attempt: "d.p", at: 0, beside: "d.q" }],
    ["/run/d.p?race", { screen: "ghost", attempt: "d.p" }],
    ["/deal/d", { screen: "deal", deal: "d" }],
    ["/watch/h7kq2/Jk1-_A", { screen: "watch", code: "H7KQ2", key: "Jk1-_A" }],
    ["/watch/h7kq2", { screen: "missing" }],
    ["/watch/h7kq2/a/b", { screen: "missing" }],
    ["/deal", { screen: "missing" }],
    ["/r/A/b", { screen: "missing" }],
    ["/%E0%A4%A", { screen: "missing" }],
  ])("reads %s", (path, route) => {
    expect(at(path)).toEqual(route);
  });

  it("parses every path that the page makes", () => {
    expect(at(paths.room("H7KQ2"))).toEqual({ screen: "room", code: "H7KQ2" });
    expect(at(paths.run("d.p"))).toEqual({ screen: "run", attempt: "d.p", at: 0, beside: null });
    expect(at(paths.run("d.p", 61_500.4))).toMatchObject({ attempt: "d.p", at: 61_500 });
    expect(at(paths.run("d.p", 5, "d.q"))).toMatchObject({ at: 5, beside: "d.q" });
    expect(at(paths.ghost("d.p"))).toEqual({ screen: "ghost", attempt: "d.p" });
    expect(at(paths.deal("d"))).toEqual({ screen: "deal", deal: "d" });
    expect(at(paths.daily("a b"))).toEqual({ screen: "daily", game: "a b" });
    expect(at(paths.leaderboard("robert", 7))).toMatchObject({ game: "robert", day: 7 });
  });
});

describe("roomCode", () => {
  it.each(["H7KQ2", " h7kq2 ", "h7k q2", "http://samedeal.test/r/H7KQ2"])("reads %j", (typed) => {
    expect(roomCode(typed)).toBe("H7KQ2");
  });
});

describe("tableOf", () => {
  it("parses the state that the page makes, and nothing else", () => {
    expect(tableOf(structuredClone(stateAt("a.b")))).toBe("a.b");
    for (const other of [null, undefined, 1, "a.b", {}, { table: 1 }]) {
      expect(tableOf(other)).toBeNull();
    }
  });
});
