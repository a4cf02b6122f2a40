/** Was zu lesen ist, wer in einem Raum wartet, auf Deutsch. */

import type { SeatedWords } from "./seated.ts";

export const de: SeatedWords = {
  send: "Link senden",
  copy: "Link kopieren",
  justCopy: "Kopieren",
  copied: "Link kopiert.",
  notCopied: "Das Kopieren geht hier nicht. Der Link ist markiert: Kopier ihn von Hand.",
  scan: "Zum Mitspielen scannen",
  rename: "Namen ändern",
  meanwhile: "Bis jemand kommt",
  meanwhileMore: "Spiel so lange für dich. Sobald jemand kommt, hört das von selbst auf.",
  practise: (game) => `${game} üben`,
  nobody: "Noch ist niemand da.",
  nextOpponent: "Nächster Gegner",
};
