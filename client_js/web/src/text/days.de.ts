/** Das Ende eines Tagesblatts, der Kalender und die Seiten der Spieler, auf Deutsch. */

import type { DaysWords } from "./days.ts";

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function cardsOf(home: number, total: number | null): string {
  return total === null ? counted(home, "Karte", "Karten") : `${home} von ${total} Karten`;
}

function homeOf(home: number | string, total: number | null): string {
  return total === null ? `${home} zu Hause` : `${home} von ${total}`;
}

function more(count: number): string {
  return count > 0 ? "mehr" : "weniger";
}

function against(most: number | null, average: number | null): string {
  const parts: string[] = [];
  if (most !== null) {
    const cards = counted(Math.abs(most), "Karte", "Karten");
    if (most === 0) parts.push("So viele Karten wie die meisten");
    else parts.push(`${cards} ${more(most)} als die meisten`);
  }
  if (average !== null) {
    const count = Math.abs(average);
    const cards = parts.length === 0 ? counted(count, "Karte", "Karten") : count;
    const right = parts.length === 0 ? "Genau dein Schnitt" : "genau dein Schnitt";
    parts.push(average === 0 ? right : `${cards} ${more(average)} als dein Schnitt`);
  }
  return parts.length === 0 ? "" : `${parts.join(", ")}.`;
}

export const de: DaysWords = {
  date: (game, date) => `${game}, ${date}`,
  still: (date) => `Das ist noch das Blatt vom ${date}.`,
  newDay: "Ein neuer Tag, neue Blätter.",
  alone: "Außer dir ist noch niemand fertig.",
  against,

  chart: {
    title: "Alle im Vergleich",
    you: "Du",
    median: "Die Mitte",
    band: "Die meisten",
    said: (of, reached, middle) =>
      [
        `Karten zu Hause über die Zeit, bei ${counted(of, "Partie", "Partien")}.`,
        ...(reached === null ? [] : [`Du: ${reached}.`]),
        `Die mittlere kam auf ${middle}.`,
      ].join(" "),
    range: (low, high) => `Acht von zehn endeten zwischen ${low} und ${high}.`,
  },

  streak: {
    days: "Tage in Folge",
    day: "Tag in Folge",
    best: (days) => `Dein Rekord: ${days}.`,
    isBest: "Dein Rekord.",
    none: "Bring heute eine Karte heim, und eine neue Serie beginnt.",
    all: "Deine Ergebnisse",
    recent: (game) => `Karten zu Hause in ${game}, Tag für Tag`,
  },

  set: {
    done: "Alle fünf geschafft",
    crowned: "Die Krone gehört dir.",
    next: (time) => `Neue Blätter in ${time}.`,
    overall: (place, of) => `${place} von ${of} in allen Spielen von heute zusammen.`,
    share: "Alle fünf teilen",
  },

  proof: {
    won: (par) => `Par: ${counted(par, "Zug", "Züge")}.`,
    canBeWon: (par) =>
      `Zu gewinnen ist es, in ${counted(par, "Zug", "Zügen")}. Wie, siehst du, sobald der Tag geschlossen ist.`,
    made: "Das ist Par: Mehr bringt niemand heim.",
    short: (par) => `Par: ${par} zu Hause. Mehr bringt niemand heim.`,
    watchWin: "Den Sieg ansehen",
    watchBest: "Das beste Spiel ansehen",
    ask: "War das zu gewinnen?",
  },

  place: (place) => `${place}.`,
  share: {
    sentence: (game, date, { home, total, par, time, place }) =>
      [
        `Samedeal, ${game}, ${date}: ${cardsOf(home, total)} zu Hause`,
        time === null ? "" : ` in ${time}`,
        par === null ? "" : home === par ? ", und das ist Par" : `, Par ${par}`,
        place === null ? "" : `, ${place.rank}. von ${place.of}`,
        ".",
      ].join(""),
    set: (date, games, won, home) =>
      [
        `Samedeal, ${date}: alle ${games} Spiele`,
        won === 0 ? "" : `, ${won} gewonnen`,
        `, ${home} Karten zu Hause.`,
      ].join(""),
    picture: "Als Bild teilen",
    notShared: "Das Bild ließ sich hier nicht teilen.",
  },

  calendar: {
    title: "Kalender",
    previous: "Der Monat davor",
    next: "Der Monat danach",
    dayOf: (date, said) => `${date}: ${said}`,
    played: (played, of, won) =>
      [`${played} von ${of} gespielt`, ...(won === 0 ? [] : [`${won} gewonnen`])].join(", "),
    nothing: "nicht gespielt",
    set: "alle fünf, und die Krone",
    today: "heute",
    ahead: "versiegelt",
    repaired: "unser Fehler, deine Serie geht weiter",
    key: {
      played: "gespielt",
      won: "gewonnen",
      set: "alle fünf",
      row: "Tage in Folge",
      repaired: "unser Fehler",
      level: "leicht bis schwer",
    },
    weekday: (name, level) => `${name}, ${level.toLowerCase()}`,
  },

  day: {
    missing: "An diesem Tag gab es nichts",
    missingMore: "Damals wurden keine Karten gegeben, oder der Tag liegt zu weit voraus.",
    previous: "Der Tag davor",
    next: "Der Tag danach",
    toCalendar: "Kalender",
    yours: (home, total, time) =>
      `Du hast ${cardsOf(home, total)} heimgebracht${time === null ? "" : `, in ${time}`}.`,
    won: (time) => `Du hast in ${time} gewonnen.`,
    notPlayed: "Das hast du nicht gespielt.",
    open: "Das hast du noch nicht gespielt.",
    over: "Dieser Tag ist vorbei. Spielen kannst du seine Blätter noch, ohne Wertung.",
    playIt: "Spielen",
    playToday: "Spielen",
    runs: "Alle Partien",
    board: "Bestenliste",
    replay: "Deine Partie",
    ahead: (date) => `Diese Blätter sind schon versiegelt. Gespielt werden sie ab ${date}.`,
    closesLater:
      "Vielleicht spielt noch jemand. Ist der Tag geschlossen, können alle die Partien ansehen und die Blätter noch einmal spielen.",
    check: "Jeder kann es prüfen",
    checkMore:
      "Jedes Blatt war versiegelt, bevor jemand eine Karte sah: Der Startwert unten führt zu den Karten, und zum Siegel, das schon vorher veröffentlicht war.",
    seal: "Siegel",
    seed: "Startwert",
    later: "Wird veröffentlicht, sobald der Tag geschlossen ist.",
  },

  player: {
    title: (name) => `${name}: Ergebnisse`,
    yours: "Deine Ergebnisse",
    missing: "Diesen Spieler gibt es nicht",
    missingMore: "Der Link ist vielleicht alt, oder ein Buchstabe fehlt.",
    ranked: "In der Wertung",
    guest: "Gast",
    guestMore:
      "Gäste haben eine eigene Bestenliste. Behalte deine Ergebnisse, und du stehst auf der großen.",
    settings: "Name und Einstellungen",
    calendar: "Kalender",
    streaks: "Tage in Folge",
    days: "Tage gespielt",
    wins: "Tage gewonnen",
    crowns: "Kronen",
    crownsMore: "Tage mit allen fünf Spielen",
    best: (days) => `Rekord ${days}`,
    nothing: "Noch keine Spiele",
    nothingMore: "Jedes Tagesblatt und jedes Rennen landet hier.",
    play: "Die Blätter von heute",
    dailies: "Tagesblätter",
    races: "Rennen",
    played: "Gespielt",
    won: "Gewonnen",
    average: "Schnitt",
    averageOf: homeOf,
    record: "Beste Partie",
    recordOf: (home, total, time) => `${homeOf(home, total)} in ${time}`,
    recordWon: (time) => `Gewonnen in ${time}`,
    rating: "Wertungszahl",
    ratingOff: (off) => `± ${off}`,
    perDay: "Karten zu Hause, Tag für Tag",
    perDaySaid: (days, won, best, total) =>
      [
        `${days === 1 ? "Der letzte Tag" : `Die letzten ${days} Tage`}: `,
        total === null ? "" : `${won} gewonnen, `,
        `höchstens ${cardsOf(best, total)} zu Hause.`,
      ].join(""),
    perRound: "Wertungszahl, Rennen für Rennen",
    perRoundSaid: (rounds, from, to) =>
      `Von ${from} auf ${to} in ${counted(rounds, "Rennen", "Rennen")}.`,
    asTable: "Als Tabelle",
    day: "Tag",
    home: "Karten zu Hause",
    ended: "Ende",
    place: "Platz",
    placeOf: (place, of) => `${place}. von ${of}`,
    recent: "Letzte Rennen",
    replay: "Ansehen",
  },
};
