/** Was es an einem Ende zu feiern gibt, auf Deutsch. */

import type { MomentsWords } from "./moments.ts";

export const de: MomentsWords = {
  wonIn: (time, moves) => `In ${time === null ? "" : `${time}, mit `}${moves} Zügen.`,
  best: "Bisher die beste Partie des Tages",
  crown: "Die Krone des Tages",
  record: "Deine beste Partie bisher",
  streak: (days) => `${days} Tage in Folge`,
};
