/** Circles: days of a feed, duels by game, and the order of seasons and leagues. */

import type { Duel, FeedItem } from "@samedeal/client";
import { describe, expect, test } from "vitest";
import { byGame } from "../src/circles/table/duels.ts";
import { crownOf, daysOf } from "../src/circles/feed.ts";
import { text, withOwnText } from "../src/text/index.ts";
import { followingGame, lastDay, nextStart, weekOf } from "../src/circles/seasons.ts";

const DAY = 86_400_000;

function item(name: string, at: number): FeedItem {
  return {
    ...{ item: name, about: "joined", at, player: null, game: null, day: null, points: 0 },
    ...{ played: 0, crowns: [], number: 0, challenge: null, emotes: [] },
  };
}

function duel(game: string, form: Duel["form"], won: number, lost: number, drawn: number): Duel {
  return { game, form, won, lost, drawn };
}

test("a feed is grouped by days, in its order", () => {
  const items = [item("c", 8 * DAY + 5), item("b", 8 * DAY), item("a", 8 * DAY - 1)];
  const days = daysOf(items).map(({ day, happened }) => [day, happened.map((each) => each.item)]);
  expect(days).toEqual([
    [8, ["c", "b"]],
    [7, ["a"]],
  ]);
});

test.each([
  [["classics"], "Ada earned the Classics crown, with 90 points."],
  [["rarities"], "Ada earned the Rarities crown, with 90 points."],
  [["classics", "rarities"], "Ada earned both crowns, with 90 points."],
  [[""], "Ada earned the crown, with 90 points."],
])("the crowns %j are named", async (crowns, said) => {
  await withOwnText("circles", Promise.resolve());
  expect(text.circles.feed.crown("Ada", crownOf(crowns), 90)).toBe(said);
});

test("duels in dailies, races and challenges are summed by game, in the order of the games", () => {
  const duels = [
    duel("unheard-of", "race", 1, 0, 0),
    duel("deuces", "daily", 3, 2, 1),
    duel("robert", "daily", 0, 1, 0),
    duel("deuces", "challenge", 1, 4, 1),
  ];
  const rows = byGame(duels);
  expect(rows).toHaveLength(3);
  expect(rows).toContainEqual({ game: "deuces", won: 4, lost: 6, drawn: 2 });
  expect(rows.at(-1)?.game).toBe("unheard-of");
});

describe("a season of two weeks", () => {
  const season = { number: 1, first: 20_780, weeks: 2 };

  test.each([
    [20_779, 1],
    [20_780, 1],
    [20_786, 1],
    [20_787, 2],
    [20_793, 2],
    [20_794, 2],
  ])("is on day %i in week %i", (day, week) => {
    expect(weekOf(season, day)).toBe(week);
  });

  test("ends on a Sunday", () => {
    expect(lastDay(season)).toBe(20_793);
  });
});

test("a league starts with the next day, or the next Monday", () => {
  expect(nextStart("day", 20_780)).toBe(20_781 * DAY);
  // Day 20,780 is a Monday.
  expect(nextStart("week", 20_780)).toBe(20_787 * DAY);
  expect(nextStart("week", 20_786)).toBe(20_787 * DAY);
});

test("the games of a league take turns", () => {
  const games = ["robert", "deuces"];
  expect(followingGame(games, undefined)).toBe("robert");
  expect(followingGame(games, "robert")).toBe("deuces");
  expect(followingGame(games, "deuces")).toBe("robert");
  // It was removed from the league.
  expect(followingGame(games, "roosevelt")).toBe("robert");
});
