/** The settings, in English. */

export const en = {
  title: "Settings",
  deck: "Suits",
  decks: { two: "Two colours", four: "Four colours" },
  back: "Card backs",
  backs: { lattice: "Lattice", waves: "Waves", stars: "Stars" },
  table: "Table",
  tables: { felt: "Felt", midnight: "Midnight", clay: "Clay", daylight: "Daylight" },
  hand: "Stock and waste",
  hands: { right: "On the right", left: "On the left" },
  tapping: "A tap on a card",
  taps: { one: "plays its best move", two: "picks it up" },
  sounds: { off: "Off", on: "On" },
  vibration: "Vibration in races",
  emotes: "Reactions of others",
  emotesShown: { on: "Shown", off: "Hidden" },
  practiceHelp: "Help in practice",
  motion: "Motion",
  motions: { system: "System setting", none: "None" },
  language: "Language",
  languages: { system: "Browser setting", en: "English", de: "Deutsch" },
};
