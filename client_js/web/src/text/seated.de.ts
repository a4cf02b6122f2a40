/** Was zu lesen ist, wer in einem Raum wartet, auf Deutsch. */

import type { SeatedWords } from "./seated.ts";

export const de: SeatedWords = {
  send: "Link senden",
  copy: "Link kopieren",
  justCopy: "Kopieren",
  rename: "Namen ändern",
  meanwhile: "Bis jemand kommt",
  meanwhileMore: "Spiel so lange für dich. Sobald jemand kommt, hört das von selbst auf.",
  practise: (game) => `${game} üben`,
  nobody: "Noch ist niemand da.",
  nextOpponent: "Nächster Gegner",
};
