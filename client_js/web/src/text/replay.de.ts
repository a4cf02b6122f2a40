/** Aufzeichnungen von Partien, und die Seite eines Blatts, auf Deutsch. */

import type { ReplayWords } from "./replay.ts";

export const de: ReplayWords = {
  title: (name, game) => `${name}: ${game}`,
  open: "Noch nicht",
  openMore:
    "Vielleicht spielt noch jemand dieses Blatt. Sobald es geschlossen ist, können alle die Partien ansehen.",
  missing: "Diese Partie gibt es nicht",
  beside: "Danebenlegen …",
  alone: "Für sich",
  shown: "Wessen Karten zu sehen sind",
  otherDeal: "Diese Partie ist auf einem anderen Blatt.",
  parted: (move) => `Bei Zug ${move} trennten sich die Wege.`,
  never: "Beide spielten dieselben Züge.",
  dealTitle: (game) => `Ein Blatt ${game}`,
  dealMore:
    "Alle bekamen diese Karten. Sieh zu, wie sie gespielt wurden, und prüfe nach, dass es fair war.",
  none: "Von diesem Blatt sind keine Partien mehr aufgehoben.",
  controls: "Nachspielen",
  scrubber: "Stelle in der Partie",
  position: (move, of, time) => `Zug ${move} von ${of}, ${time}`,
  play: "Abspielen",
  pause: "Anhalten",
  back: "Einen Zug zurück",
  forward: "Einen Zug weiter",
  toEnd: "Ans Ende",
  speed: "Tempo",
  times: (speed) => `${speed}×`,
  shareText: (name, game) => `Sieh dir ${name} bei ${game} an, ab hier:`,
  download: "Herunterladen",

  busy: (game) => `Du bist mitten in ${game}`,
  busyMore: (moves) =>
    `Dieses Spiel käme an die Stelle deines Übungsspiels mit ${moves === 1 ? "einem Zug" : `${moves} Zügen`}.`,
  goOn: "Zurück zu meinem Spiel",
  replace: "Stattdessen dieses spielen",
};
