/** Statistics of a player's dailies and races, from the player's page. Pure functions. */

import type { ApiTypes } from "@samedeal/client";
import { type Counted, type Figures, added, noFigures } from "../../app/practised/figures.ts";

/** Return the statistics of a game's dailies; the details are of the latest 400. */
export function figuresOfDailies({ days, played, won }: ApiTypes.PlayedDailies): Figures {
  const runs = days.map(({ end, home, time, moves }): Counted => [
    end === "won",
    home,
    time,
    moves,
  ]);
  return { ...summed(runs), played, won };
}

/** Return the statistics of a game's races by variant; the details are of the latest 200. */
export function figuresOfRaces({ rounds }: ApiTypes.PlayedRaces): ReadonlyMap<string, Figures> {
  const variants = new Map<string, Counted[]>();
  for (const { variant, end, home, time, moves } of rounds) {
    const runs = variants.get(variant) ?? [];
    variants.set(variant, [...runs, [end === "won", home, time, moves]]);
  }
  return new Map([...variants].map(([variant, runs]) => [variant, summed(runs)]));
}

/** Add up runs, latest first. */
function summed(runs: readonly Counted[]): Figures {
  return runs.reduceRight(added, noFigures);
}
