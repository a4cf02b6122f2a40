/** Wie gespielt wird, auf Deutsch. */

import type { Match } from "../../../src/rules/schema.ts";
import type { HowTo } from "./howTo.ts";
import { text } from "./index.ts";

export const de: HowTo = {
  summaries: {
    roosevelt: "Zwei Blätter, sieben Spalten, immer eine Karte. Geduld entscheidet.",
    robert: "Dreimal durch ein Blatt, auf oder ab. In zwei Minuten vorbei.",
    "rouge-et-noir": "Zehn Spalten, Rot auf Schwarz, und eine neue Reihe, wenn du dich traust.",
    deuces:
      "Die Zweien liegen schon. Zehn Spalten in einer Farbe, und nach dem Ass kommt der König.",
    "lady-betty": "Sechs Stapel, und was liegt, bleibt liegen, bis es nach Hause geht.",
  },
  goalTitle: "Das Ziel",
  goal: (total) => `Bring alle ${total} Karten nach Hause auf die Zielstapel.`,
  goalOfPar: (total, { deals, low, high }) =>
    `Bring so viele der ${total} Karten nach Hause, wie du kannst. Alle schafft niemand: Wir haben ${deals.toLocaleString(text.locale)} Blätter durchgerechnet, und keines ist zu gewinnen. Jedes hat sein Par: so viele Karten, wie höchstens heimkommen. Meist sind das ${low} bis ${high}.`,
  home: (piles, first, match, suits) => {
    const which = suits === "HD" ? "rote " : suits === "SC" ? "schwarze " : "";
    const by =
      match === "suit" ? " in einer Farbe" : match === "colour" ? " in Rot oder Schwarz" : "";
    const [from, to] = first === "A" ? ["Ass", "König"] : [text.cards.rank(first), "Ass am Ende"];
    return `${piles} ${which}Zielstapel gehen${by} aufwärts, von ${from} bis ${to}.`;
  },
  run: (piles) =>
    `${piles} weitere Zielstapel nehmen je eine ganze Folge vom König bis zum Ass, auf einmal.`,
  either: (piles) =>
    `${piles === 1 ? "Ein Zielstapel geht" : `${piles} Zielstapel gehen`} um eins auf oder ab, in jeder Farbe; König und Ass sind Nachbarn.`,
  columnsTitle: "Die Spalten",
  anyOnAny: "Jede Karte darf auf jeden Stapel.",
  onlyHome: "Von dort geht sie nur noch nach Hause: Wähl mit Bedacht.",
  builds: (match: Match, wrap) =>
    ({
      suit: "Spalten gehen in einer Farbe um eins abwärts.",
      alternate: "Spalten gehen um eins abwärts, Rot auf Schwarz und Schwarz auf Rot.",
      colour: "Spalten gehen um eins abwärts, Rot auf Rot und Schwarz auf Schwarz.",
      any: "Spalten gehen um eins abwärts, in jeder Farbe.",
    })[match] + (wrap ? " Auf ein Ass darf ein König." : ""),
  moves: {
    card: "Es zieht immer nur eine Karte um.",
    run: "Karten, die aufeinander folgen, ziehen zusammen um.",
    "run-by-spaces":
      "Karten, die aufeinander folgen, ziehen zusammen um, so viele die leeren Spalten erlauben: 2 bei einer, 4 bei zweien.",
  },
  emptyAny: "In einer leeren Spalte darf jede Karte anfangen.",
  emptyOnly: (rank) => `In einer leeren Spalte fängt nur ein ${text.cards.rank(rank)} an.`,
  stockTitle: "Der Stapel",
  row: "Er gibt eine Karte auf jede Spalte, alle auf einmal. Nimm sie, wenn du sie brauchst: Es sind sechs Reihen.",
  openStock:
    "Seine oberste Karte liegt offen. Ein Ass darf gleich nach Hause, jede andere Karte zuerst auf einen Stapel.",
  draw: "Er gibt eine Karte nach der anderen auf die Ablage.",
  wasteAnywhere: "Die oberste Karte der Ablage darf auf eine Spalte oder nach Hause.",
  wasteHome: "Die oberste Karte der Ablage darf nach Hause.",
  redeals: (times) =>
    times === 0
      ? "Er wird einmal durchgespielt."
      : `Ist er leer, wird die Ablage wieder zum Stapel, ${times === 1 ? "einmal" : times === 2 ? "zweimal" : `${times}-mal`}.`,
  tapTitle: "Spielen",
  tap: "Tipp eine Karte an, und sie macht ihren besten Zug: nach Hause, wenn es geht, sonst zur längsten Folge. Oder zieh sie, wohin du willst.",
  tapHome: "Tipp eine Karte an, und sie geht nach Hause, wenn sie kann. Oder zieh sie hin.",
  tapChoose:
    "Tipp die offene Karte an, dann den Stapel für sie. Kann eine Karte nach Hause, reicht ein Tipp. Oder zieh sie, wohin du willst.",
  keys: "Mit der Tastatur: Pfeile bewegen, Eingabe spielt, Leertaste nimmt auf und legt ab, H schickt nach Hause, D gibt Karten, U nimmt zurück, I gibt einen Tipp.",
};
