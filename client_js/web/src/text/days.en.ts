/** The end of a daily, the calendar, and players' pages, in English. */

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** So many cards of all that there are to bring home; null where that is not all of them. */
function cardsOf(home: number, total: number | null): string {
  return total === null ? counted(home, "card", "cards") : `${home} of ${total} cards`;
}

/** The same in short. */
function homeOf(home: number | string, total: number | null): string {
  return total === null ? `${home} home` : `${home} of ${total}`;
}

/** A result at a daily, as it is shared. */
export interface SharedResult {
  readonly home: number;
  /** Null where nobody can bring all cards home. */
  readonly total: number | null;
  readonly par: number | null;
  /** On a clock; null if no card came home. */
  readonly time: string | null;
  readonly place: { readonly rank: number; readonly of: number } | null;
}

const ENDINGS: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd" };
const ORDINALS = new Intl.PluralRules("en", { type: "ordinal" });

function ordinal(place: number): string {
  return `${place}${ENDINGS[ORDINALS.select(place)] ?? "th"}`;
}

/** Numbers of cards against most players' and the player's own average; null where unknown. */
function against(most: number | null, average: number | null): string {
  const parts: string[] = [];
  if (most !== null) {
    const cards = counted(Math.abs(most), "card", "cards");
    if (most === 0) parts.push("as many cards as most");
    else parts.push(`${cards} ${most > 0 ? "more" : "fewer"} than most`);
  }
  if (average !== null) {
    const cards =
      parts.length === 0 ? counted(Math.abs(average), "card", "cards") : Math.abs(average);
    if (average === 0) parts.push("right on your average");
    else parts.push(`${cards} ${average > 0 ? "more" : "fewer"} than your average`);
  }
  const sentence = parts.join(", ");
  return sentence === "" ? "" : `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

export const en = {
  date: (game: string, date: string) => `${game} · ${date}`,
  /** Of an attempt that was begun before midnight. */
  still: (date: string) => `This is still the deal of ${date}.`,
  newDay: "It’s a new day, with new deals.",
  alone: "You’re the first to finish.",
  against,

  chart: {
    title: "Everybody’s race",
    you: "You",
    median: "The middle",
    band: "Most players",
    said: (of: number, reached: string | null, middle: number) =>
      [
        `Cards home over time, for ${counted(of, "run", "runs")}.`,
        ...(reached === null ? [] : [`You: ${reached}.`]),
        `The one in the middle got to ${middle}.`,
      ].join(" "),
    range: (low: number, high: number) => `Eight in ten ended between ${low} and ${high}.`,
  },

  streak: {
    days: "days in a row",
    day: "day in a row",
    best: (days: number) => `Your best is ${days}.`,
    isBest: "Your best yet.",
    none: "Bring a card home today to start a new streak.",
    all: "Your results",
    recent: (game: string) => `Cards home in ${game}, day by day`,
  },

  set: {
    done: "All five, done",
    crowned: "The crown is yours.",
    next: (time: string) => `New deals in ${time}.`,
    overall: (place: string, of: number) => `${place} of ${of} across all of today’s games.`,
    share: "Share all five",
  },

  /** Against what was proved of the deal. */
  proof: {
    won: (par: number) => `Par is ${counted(par, "move", "moves")}.`,
    canBeWon: (par: number) =>
      `This one can be won, in ${counted(par, "move", "moves")}. You’ll see how, once the day is closed.`,
    made: "That’s par: nobody can bring more home.",
    short: (par: number) => `Par is ${par}: nobody can bring more home.`,
    watchWin: "Watch the win",
    watchBest: "Watch the best play",
    /** Of a closed deal of which nothing was proved. */
    ask: "Could it have been won?",
  },

  place: ordinal,
  share: {
    sentence: (game: string, date: string, { home, total, par, time, place }: SharedResult) =>
      [
        `Samedeal, ${game}, ${date}: ${cardsOf(home, total)} home`,
        time === null ? "" : ` in ${time}`,
        par === null ? "" : home === par ? ", and that’s par" : `, par ${par}`,
        place === null ? "" : `, ${ordinal(place.rank)} of ${place.of}`,
        ".",
      ].join(""),
    set: (date: string, games: number, won: number, home: number) =>
      [
        `Samedeal, ${date}: all ${games} games`,
        won === 0 ? "" : `, ${won} won`,
        `, ${home} cards home.`,
      ].join(""),
    picture: "Share as a picture",
    notShared: "Sharing the picture didn’t work here.",
  },

  calendar: {
    title: "Calendar",
    previous: "The month before",
    next: "The month after",
    dayOf: (date: string, said: string) => `${date}: ${said}`,
    played: (played: number, of: number, won: number) =>
      [`${played} of ${of} played`, ...(won === 0 ? [] : [`${won} won`])].join(", "),
    nothing: "not played",
    set: "all five, and the crown",
    today: "today",
    ahead: "sealed",
    repaired: "our fault, so your streak goes on",
    key: {
      played: "played",
      won: "won",
      set: "all five",
      row: "days in a row",
      repaired: "our fault",
      level: "easy to hard",
    },
    /** The day of the week, and how hard its deals are. */
    weekday: (name: string, level: string) => `${name}, ${level.toLowerCase()}`,
  },

  day: {
    missing: "No deals that day",
    missingMore: "Nobody dealt any cards then, or it’s too far ahead.",
    previous: "The day before",
    next: "The day after",
    toCalendar: "Calendar",
    yours: (home: number, total: number | null, time: string | null) =>
      `You brought ${cardsOf(home, total)} home${time === null ? "" : ` in ${time}`}.`,
    won: (time: string) => `You won in ${time}.`,
    notPlayed: "You didn’t play this one.",
    open: "You haven’t played this one yet.",
    over: "This day is over. Its deals can still be played, unranked.",
    playIt: "Play it",
    playToday: "Play",
    runs: "All runs",
    board: "Leaderboard",
    replay: "Your run",
    ahead: (date: string) => `These deals are sealed already. They open on ${date}.`,
    closesLater:
      "Somebody may still be playing. Once the day is closed, everybody can watch the runs, and play the deals again.",
    check: "Anyone can check",
    checkMore:
      "Each deal was sealed before anybody saw a card: the seed below leads to the cards, and to the seal, which was published before.",
    seal: "Seal",
    seed: "Seed",
    later: "Published once the day is closed.",
  },

  player: {
    title: (name: string) => `${name}’s games`,
    yours: "Your results",
    missing: "No such player",
    missingMore: "The link may be old, or have lost a letter.",
    ranked: "Ranked",
    guest: "Guest",
    guestMore: "Guests have a board of their own. Keep your results, and you’re on the big one.",
    settings: "Name and settings",
    calendar: "Calendar",
    streaks: "Days in a row",
    days: "Days played",
    wins: "Days won",
    crowns: "Crowns",
    crownsMore: "days with all five games",
    best: (days: number) => `best ${days}`,
    nothing: "No games yet",
    nothingMore: "Every daily and every race ends up here.",
    play: "Today’s deals",
    dailies: "Dailies",
    races: "Races",
    played: "Played",
    won: "Won",
    average: "Average",
    averageOf: homeOf,
    record: "Best run",
    recordOf: (home: number, total: number | null, time: string) =>
      `${homeOf(home, total)} in ${time}`,
    recordWon: (time: string) => `Won in ${time}`,
    rating: "Rating",
    ratingOff: (off: number) => `± ${off}`,
    perDay: "Cards home, day by day",
    perDaySaid: (days: number, won: number, best: number, total: number | null) =>
      [
        `The last ${counted(days, "day", "days")}: `,
        total === null ? "" : `${won} won, `,
        `at best ${cardsOf(best, total)} home.`,
      ].join(""),
    perRound: "Rating, race by race",
    perRoundSaid: (rounds: number, from: number, to: number) =>
      `From ${from} to ${to} over ${counted(rounds, "race", "races")}.`,
    asTable: "As a table",
    day: "Day",
    home: "Cards home",
    ended: "Ended",
    place: "Place",
    placeOf: (place: number, of: number) => `${ordinal(place)} of ${of}`,
    recent: "Latest races",
    replay: "Replay",
  },
};
