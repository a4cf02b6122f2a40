/** Reaktionen, auf Deutsch. */

import type { EmoteWords } from "./emotes.ts";

export const de: EmoteWords = {
  open: "Reagieren",
  words: {
    hello: "Hallo",
    luck: "Viel Glück",
    nice: "Stark",
    wow: "Wahnsinn",
    oops: "Ups",
    thinking: "Hm …",
    fire: "Läuft bei dir",
    good_game: "Gutes Spiel",
  },
  says: (name, words) => `${name}: ${words}`,
  mute: (name) => `${name} stummschalten`,
  unmute: (name) => `${name} wieder zeigen`,
  muteAll: "Alle stummschalten",
  unmuteAll: "Alle wieder zeigen",
  muteThem: "Reaktionen ausblenden",
  unmuteThem: "Reaktionen zeigen",
};
