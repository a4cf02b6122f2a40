/** The leaderboards, in English. */

import { resultTime } from "./index.ts";

export const en = {
  all: "All games",
  titleAll: "Leaderboard of all games",
  game: "Game",
  compared: "Compared by",
  scopes: {
    day: "Day",
    week: "Week",
    wins: "Wins",
    best: "Best run",
    rating: "Rating",
    races: "Races",
  },
  /** The unit of a number in a row. */
  values: {
    day: "Points",
    week: "Points",
    wins: "Wins",
    rating: "Rating",
    races: "Races won",
  },
  group: "Players",
  groups: { ranked: "Ranked", guests: "Guests" },
  ever: "All time",
  thisWeek: "This week",
  weekBefore: "The week before",
  weekAfter: "The week after",
  weeks: "Weeks",
  middleRun: (home: number, time: number) => `Median: ${home} home, ${resultTime(time)}`,
  middleValue: (value: number) => `Median: ${value}`,
  better: (percent: number) => `Better than ${percent}%.`,
  top: (percent: number) => `Among the top ${percent}%.`,
  first: "Nobody is ahead of you.",
  /** To who is not on the board. */
  away: {
    day: "You’re not on this one yet.",
    week: "You’re not on this week’s yet.",
    wins: "Your first win puts you here.",
    best: "Your first ranked run puts you here.",
    rating: "Your first race puts you here.",
    races: "Win a race, and you’re on.",
  },
  /** To a guest, about a board without guests. */
  rankedOnly: "Guests are not on it: only players who have kept their name.",
  /** To who has kept the name only after a run on this board, which is among the guests. */
  early: "You played before you kept your name. From the next one on, you’re ranked.",
  play: "Play today’s deal",
  race: "Start a race",
  rivals: "People you’ve raced with",
  more: "Show more",
  how: "How it’s counted",
  rules: {
    run: "More cards home is better. If that’s equal, the earlier last card home counts, then fewer moves.",
    points:
      "A daily is worth up to 100 points for the share of cards that you bring home. A win adds 50, and 50 more if it’s quick: one less for each minute.",
    week: "A week runs from Monday to Sunday, by the UTC clock. Its points are summed over all its dailies.",
    wins: "Dailies that were won, ever since you kept your name.",
    best: "The best run at a daily, or in a race without help, ever since you kept your name.",
    rating:
      "Every race without help moves it, ever since you kept your name: by whom you beat, and whom they have beaten. A newcomer starts at 0, and rises as we get to know how well they play.",
    contest:
      "It takes a contest. Beating somebody who hardly played moves nothing, and neither does racing somebody at your own address. Against the same player, three races a day count in full, three more less and less, and then none.",
    races:
      "Races won, ever since you kept your name, against at least one other player. The pace bot doesn’t count.",
    equal: "Whoever is level shares a place.",
    groups:
      "Ranked are players who had kept their name when they began. Everyone else is a guest, with a board of their own.",
  },
};
