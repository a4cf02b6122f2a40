/** Adding practice deals to the statistics, once they are won or left. */

import { type Client, STANDARD, type TextStorage } from "@samedeal/client";
import { cardsHome } from "../../../src/rules/board.ts";
import type { KeptIdentity } from "../app/keptIdentity.svelte.ts";
import { type Counted, countDeal } from "../app/practised/figures.ts";
import { followSoon, leaveOthers, noteDeal } from "../app/practised/following.ts";
import type { Practice } from "./practice.svelte.ts";

/** The parts of the context that let statistics follow a kept identity. */
interface Identity {
  readonly client: Pick<Client, "account" | "player">;
  readonly kept: Pick<KeptIdentity, "known">;
}

/** Count the unsettled deals. A deal counts once, however often it is restarted. */
export function settle(practice: Practice, storage: TextStorage, { client, kept }: Identity): void {
  const player = client.player.get();
  leaveOthers(storage, player?.id);
  const { previous, begun, counted, end, ruleset, view, watch } = practice;
  const { game, variant } = ruleset;
  if (begun && previous !== null && previous.seed !== practice.seed && !previous.counted) {
    const { home = 0, elapsed = 0, moves } = previous;
    count(game, previous.variant ?? STANDARD, [false, home, elapsed, moves.length]);
  }
  if (end === "won" && !counted) {
    const time = Math.round(watch.elapsed);
    count(game, variant, [true, cardsHome(view), time, view.moves]);
  }
  practice.settle();
  if (player !== null && kept.known) void followSoon(storage, player.id, client);

  function count(of: string, by: string, deal: Counted): void {
    countDeal(storage, of, by, deal);
    noteDeal(storage, of, by, deal);
  }
}
