/** Terms of a round, in words. */

import { type Dailies, STANDARD, type Terms, games } from "@samedeal/client";
import { nameWith, variantWords } from "../app/own/names.ts";
import { isDaily, isForPar } from "../app/targets.ts";
import { knownWords, text } from "../text/index.ts";

/** Today's dailies; null while they are unknown. */
type Today = Pick<Dailies, "games"> | null;

/**
 * Whether the server certifies deals of a game as winnable, for its dailies. With `winnable`, rounds
 * are played on these.
 */
export function isCertified(dailies: Today, { game, variant }: Terms): boolean {
  const listing = games.find(({ id }) => id === game)?.listing;
  return isDaily(dailies, game) && !isForPar(game) && variant === (listing?.daily ?? STANDARD);
}

/** Return the variant of a game that is offered first for races. */
export function raceVariant(game: string): string {
  return games.find(({ id }) => id === game)?.listing.race ?? STANDARD;
}

/** Whether the next rounds' deals are winnable, as long as the server has some. */
export function areWinnable(dailies: Today, terms: Terms): boolean {
  const { winnable = false, known = "" } = terms;
  return winnable && known === "" && isCertified(dailies, terms);
}

/** Return a notice that a round's deal may not be winnable, although its terms wish so, or null. */
export function uncertainWords(dailies: Today, terms: Terms): string | null {
  return areWinnable(dailies, terms) ? text.terms.noneWinnable : null;
}

/** Return terms such as `Golf: Nothing on a King, 10 minutes`, without the standard variant. */
export function termsWords(terms: Terms, dailies: Today = null): string {
  const { game, variant, limit, help = "none", known = "" } = terms;
  const played = games.find(({ id }) => id === game);
  const name = nameWith(played?.name ?? game, variantWords(game, variant));
  const helped = help === "none" ? undefined : text.help.terms[help];
  const winnable = areWinnable(dailies, terms) ? text.terms.winnable : undefined;
  const deal = known === "" ? winnable : knownWords(known);
  const words = [name, deal, text.start.minutes(limit / 60), helped];
  return words.filter((word) => word !== undefined).join(", ");
}

/** Extract the terms from a larger message, such as a room or a proposal. */
export function termsOf(terms: Terms): Terms {
  const { game, variant, limit, help = "none", known = "", winnable = false } = terms;
  return { game, variant, limit, help, known, winnable };
}

export function sameTerms(one: Terms, other: Terms): boolean {
  const [a, b] = [termsOf(one), termsOf(other)];
  return (["game", "variant", "limit", "help", "known", "winnable"] as const).every(
    (field) => a[field] === b[field],
  );
}
