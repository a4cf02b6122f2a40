/** Das Ende einer Runde, und wer bei der nächsten dabei ist, auf Deutsch. */

import type { RoundsWords } from "./rounds.ts";

const LIST = new Intl.ListFormat("de");

export const de: RoundsWords = {
  asked: "Noch nicht dabei",
  waitFor: (names) => `Es fehlt noch: ${LIST.format(names)}.`,
  startNow: "Trotzdem anfangen",
  withoutMore: "Wer jetzt fehlt, kann in der nächsten Runde dabei sein.",
  wonBy: (name, margin) => `${name} gewinnt: ${margin} Vorsprung.`,
  aheadOf: (name, margin) => `${margin} vor ${name}.`,
  level: (names) => `Totes Rennen: ${LIST.format(names)}.`,
  behind: (margin) => `Du warst ${margin} dahinter.`,
  moves: (count) => (count === 1 ? "1 Zug" : `${count} Züge`),
  more: "Zu diesen Karten",
};
