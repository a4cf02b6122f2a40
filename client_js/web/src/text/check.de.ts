/** Die Prüfung eines Blatts, auf Deutsch. */

import type { CheckWords } from "./check.ts";

export const de: CheckWords = {
  sealed: "✓ Ein faires Blatt, versiegelt, bevor jemand eine Karte sah.",
  button: "Nachprüfen",
  intro:
    "Bevor jemand eine Karte sah, haben wir die Zusage veröffentlicht. Nur dieser Startwert ergibt sie, und er ergibt auch das Blatt.",
  deal: "Blatt",
  commitment: "Zusage",
  seed: "Startwert",
  closed: "Der Startwert wird veröffentlicht, sobald niemand das Blatt mehr spielen kann.",
  agrees: "✓ Ein faires Blatt: Dein Browser hat es nachgerechnet, Startwert und Zusage passen.",
  differs: "Das passt nicht: Der Startwert ergibt eine andere Zusage.",
  cards: "Die Karten, wie sie gegeben wurden",
};
