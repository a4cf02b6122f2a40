/** Das Angebot, den Ton einzuschalten, auf Deutsch. */

import type { SensesWords } from "./senses.ts";

export const de: SensesWords = {
  soundOn: "Ton an?",
  soundOff: "Kein Ton",
};
