/** Adding practice deals to the statistics, once they are won or left. */

import { STANDARD, type TextStorage } from "@samedeal/client";
import { cardsHome } from "../../../src/rules/board.ts";
import { countDeal } from "../app/practised/figures.ts";
import type { Practice } from "./practice.svelte.ts";

/** Count what is unsettled. A deal counts once, however often it is restarted. */
export function settle(practice: Practice, storage: TextStorage): void {
  const { previous, begun, counted, end, ruleset, view, watch } = practice;
  const { game, variant } = ruleset;
  if (begun && previous !== null && previous.seed !== practice.seed && !previous.counted) {
    const { home = 0, elapsed = 0, moves } = previous;
    countDeal(storage, game, previous.variant ?? STANDARD, [false, home, elapsed, moves.length]);
  }
  if (end === "won" && !counted) {
    const time = Math.round(watch.elapsed);
    countDeal(storage, game, variant, [true, cardsHome(view), time, view.moves]);
  }
  practice.settle();
}
