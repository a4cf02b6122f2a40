/** Was nur ein Gastgeber erfährt, auf Deutsch. */

import type { HostWords } from "./host.ts";

const LIST = new Intl.ListFormat("de");

export const de: HostWords = {
  neighbours: (here, gone) =>
    gone.length > 0
      ? `Am selben Internetanschluss wie ${LIST.format(here)}, und nicht mehr hier: ${LIST.format(gone)}.`
      : `${LIST.format(here)} spielen am selben Internetanschluss.`,
};
