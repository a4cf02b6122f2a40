/** Wer bei der nächsten Runde dabei ist, auf Deutsch. */

import type { RoundsWords } from "./rounds.ts";

const LIST = new Intl.ListFormat("de");

export const de: RoundsWords = {
  asked: "Noch nicht dabei",
  waitFor: (names) => `Es fehlt noch: ${LIST.format(names)}.`,
  startNow: "Trotzdem anfangen",
  withoutMore: "Wer jetzt fehlt, kann in der nächsten Runde dabei sein.",
};
