/** Die Bahn eines Rennens, auf Deutsch. */

import type { TrackWords } from "./track.ts";

export const de: TrackWords = {
  progress: "Wie weit alle sind",
  passed: (name) => `${name} liegt hinter dir.`,
  passedBy: (name) => `${name} ist vorn.`,
  gap: (cards) =>
    cards === 0 ? "ist gleichauf" : cards > 0 ? `liegt ${cards} vorn` : `liegt ${-cards} zurück`,
  toBeat: (cards) => `${cards} zu schlagen`,
};
