/** The leaderboards, in German. */

import type { BoardWords } from "./boards.ts";
import { resultTime } from "./index.ts";

export const de: BoardWords = {
  all: "Alle Spiele",
  titleAll: "Alle Spiele: Bestenliste",
  game: "Spiel",
  compared: "Verglichen nach",
  scopes: {
    day: "Tag",
    week: "Woche",
    wins: "Siege",
    best: "Beste Partie",
    rating: "Wertung",
    races: "Rennen",
  },
  values: {
    day: "Punkte",
    week: "Punkte",
    wins: "Siege",
    rating: "Wertung",
    races: "Gewonnen",
  },
  group: "Spieler",
  groups: { ranked: "Gewertet", guests: "Gäste" },
  ever: "Aller Zeiten",
  thisWeek: "Diese Woche",
  weekBefore: "Die Woche davor",
  weekAfter: "Die Woche danach",
  weeks: "Wochen",
  middleRun: (home, time) => `In der Mitte: ${home} zu Hause, ${resultTime(time)}`,
  middleValue: (value) => `In der Mitte: ${value}`,
  better: (percent) => `Besser als ${percent} %.`,
  top: (percent) => `Unter den besten ${percent} %.`,
  first: "Niemand ist vor dir.",
  away: {
    day: "Hier stehst du noch nicht.",
    week: "Diese Woche stehst du hier noch nicht.",
    wins: "Mit dem ersten Sieg stehst du hier.",
    best: "Mit der ersten gewerteten Partie stehst du hier.",
    rating: "Mit dem ersten Rennen stehst du hier.",
    races: "Gewinn ein Rennen, und du stehst hier.",
  },
  rankedOnly: "Gäste stehen hier nicht, nur wer seinen Namen behalten hat.",
  early:
    "Du hast gespielt, bevor du deinen Namen behalten hast. Ab dem nächsten Mal wirst du gewertet.",
  play: "Heute spielen",
  race: "Rennen starten",
  rivals: "Mit denen du um die Wette gespielt hast",
  more: "Mehr zeigen",
  how: "So wird gezählt",
  rules: {
    run: "Wer mehr Karten nach Hause bringt, ist besser. Bei Gleichstand zählt, wessen letzte Karte früher zu Hause war, dann weniger Züge.",
    points:
      "Für den Anteil der Karten, die du nach Hause bringst, gibt es bis zu 100 Punkte. Ein Sieg bringt 50 dazu, und noch einmal 50, wenn er schnell ist: einen weniger für jede Minute.",
    week: "Eine Woche geht von Montag bis Sonntag, nach UTC. Gezählt wird die Summe aller Tagesblätter.",
    wins: "Gewonnene Tagesblätter, seit du deinen Namen behalten hast.",
    best: "Die beste Partie an einem Tag oder in einem Rennen ohne Hilfe, seit du deinen Namen behalten hast.",
    rating:
      "Jedes Rennen ohne Hilfe bewegt sie, seit du deinen Namen behalten hast: wen du schlägst, und wen der geschlagen hat. Wer neu ist, beginnt bei 0 und steigt, je besser wir wissen, wie gut er spielt.",
    contest:
      "Dazu braucht es einen Gegner. Wer kaum gespielt hat, den zu schlagen bewegt nichts, und auch kein Rennen gegen jemanden an deiner eigenen Adresse. Gegen dieselbe Person zählen drei Rennen am Tag ganz, drei weitere immer weniger, und dann keines mehr.",
    races:
      "Gewonnene Rennen gegen mindestens einen anderen, seit du deinen Namen behalten hast. Der Tempo-Bot zählt nicht.",
    equal: "Wer gleichauf ist, teilt sich den Platz.",
    groups:
      "Gewertet ist, wer seinen Namen schon behalten hatte, als die Partie begann. Alle anderen sind Gäste, mit einer eigenen Liste.",
  },
};
