/** Die Einstellungen, auf Deutsch. */

import type { SettingsWords } from "./settings.ts";

export const de: SettingsWords = {
  title: "Einstellungen",
  deck: "Farben",
  decks: { two: "Zwei Farben", four: "Vier Farben" },
  back: "Kartenrücken",
  backs: { lattice: "Gitter", waves: "Wellen", stars: "Sterne" },
  table: "Tisch",
  tables: { felt: "Filz", midnight: "Mitternacht", clay: "Ton", daylight: "Tageslicht" },
  hand: "Stapel und Ablage",
  hands: { right: "Rechts", left: "Links" },
  tapping: "Ein Tipp auf eine Karte",
  taps: { one: "macht den besten Zug", two: "nimmt sie auf" },
  sounds: { off: "Aus", on: "An" },
  vibration: "Vibration im Rennen",
  emotes: "Reaktionen anderer",
  emotesShown: { on: "Zeigen", off: "Ausblenden" },
  practiceHelp: "Hilfe beim Üben",
  motion: "Bewegung",
  motions: { system: "Wie im System", none: "Keine" },
  language: "Sprache",
  languages: { system: "Wie im Browser", en: "English", de: "Deutsch" },
};
