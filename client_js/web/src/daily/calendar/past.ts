/** Past days, in the form of the server's list of today's deals. */

import { type ApiTypes, Refusal, type Result } from "@samedeal/client";
import type { OwnPage } from "../../app/ownPage.svelte.ts";
import { api } from "../../app/publicApi.ts";
import { isoOf, playedBy } from "../../kit/days.ts";
import type { DayDeals } from "../placing.ts";

/** Load the deals of a day, with the player's results; return null if that fails. */
export async function readDay(day: number, own: OwnPage): Promise<DayDeals | null> {
  try {
    const [found] = await Promise.all([api.day(isoOf(day)), own.load()]);
    return dealsOf(found, own.page?.games ?? []);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return null;
  }
}

/** Return the deals of a day, with the player's results in the given games. */
export function dealsOf(
  { day, date, ends, closes, deals, crowns }: ApiTypes.Day,
  games: readonly ApiTypes.PlayedGame[],
): DayDeals {
  const results = playedBy(games).get(day)?.results ?? [];
  return {
    ...{ day, date, ends, closes, crowns },
    games: deals.map(({ game, variant, deal, commitment, certificate, best }) => {
      const mine = results.find((result) => result.game === game);
      return {
        ...{ game, variant, deal, commitment, certificate, best },
        mine: mine === undefined ? null : resultOf(mine),
      };
    }),
  };
}

/** Return the result of a daily, which never has help. */
function resultOf({ home, left, time, moves, end }: ApiTypes.PlayedDay): Result {
  return { home, left, time, moves, end, undos: 0, hints: 0, peeked: false };
}
