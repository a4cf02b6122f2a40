/** Was aus einem Blatt hätte werden können, und aus einer Partie darauf, auf Deutsch. */

import type { CouldWords } from "./could.ts";

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

export const de: CouldWords = {
  title: "Was möglich war",
  ask: "War das zu gewinnen?",
  askMore: "Dein Browser kann es ausrechnen, jetzt, wo alle Karten bekannt sind.",
  find: "Herausfinden",
  thinking: "Wird ausgerechnet …",
  thinkingOn: "Die Züge werden durchgegangen …",
  failed: "Das können wir hier noch nicht ausrechnen.",

  won: "Dieses Blatt war zu gewinnen.",
  lost: "Dieses Blatt konnte niemand gewinnen.",
  unknown: "Das weiß niemand.",
  unknownMore: "Wir fanden keinen Weg zum Sieg, und keinen Beweis, dass es keinen gibt.",
  par: (moves) => `Par: ${counted(moves, "Zug", "Züge")}.`,
  parHome: (home) => `Par: ${home} zu Hause. Mehr konnte niemand heimbringen.`,
  found: (home) => `Am weitesten kamen wir mit ${counted(home, "Karte", "Karten")} zu Hause.`,
  watchWin: "Den Sieg ansehen",
  watchBest: "Das beste Spiel ansehen",

  runWon: (moves) => `In ${counted(moves, "Zug", "Zügen")} gewonnen.`,
  left: (move) => `Mit Zug ${move} war der letzte Weg zum Sieg verbaut.`,
  stillAt: (move) =>
    `Nach Zug ${move} war es noch zu gewinnen. Wie lange danach noch, wissen wir nicht.`,
  toTheEnd: "Es war bis zuletzt zu gewinnen.",
  short: (cards) => `${counted(cards, "Karte", "Karten")} unter Par.`,
  open: (cards) =>
    cards === 1 ? "Eine war am Ende noch zu holen." : `${cards} waren am Ende noch zu holen.`,
  madePar: "Das ist Par: Keine einzige Karte wurde verschenkt.",
  costliest: (move, cards) =>
    `Am teuersten war Zug ${move}: Er kostete ${counted(cards, "Karte", "Karten")}.`,
  see: (move) => `Zug ${move} ansehen`,

  chart: "Karten zu Hause, und wie viele noch heimkommen konnten",
  could: "Noch möglich",
  home: "Zu Hause",
  lineTitle: (game) => `So wird es gewonnen: ${game}`,
  bestTitle: (game) => `Das beste Spiel: ${game}`,
  noLine: "Hier gibt es nichts zu zeigen",
  noLineMore:
    "Zu sehen ist ein Weg erst, wenn niemand das Blatt mehr spielen kann, und wenn einer bekannt ist.",
  toDeal: "Zum Blatt",

  leads: ({ wins, of, certain }) =>
    certain
      ? "Von hier aus kannst du gewinnen, und das ist ein Schritt dahin."
      : `Wir haben die verdeckten Karten auf ${of} Arten gelegt und so ${wins === of ? "jedes Mal" : `${wins}-mal`} einen Sieg gefunden.`,
};
