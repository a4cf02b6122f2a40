/** Terms of a round, in words. */

import { type Terms, games } from "@samedeal/client";
import { variantWords } from "../app/own/names.ts";
import { knownWords, text } from "../text/index.ts";

/** Return terms such as `Robert, 10 minutes`, with the variant unless it is the standard one. */
export function termsWords({ game, variant, limit, help = "none", known = "" }: Terms): string {
  const played = games.find(({ id }) => id === game);
  const form = variantWords(game, variant);
  const helped = help === "none" ? undefined : text.help.terms[help];
  const deal = known === "" ? undefined : knownWords(known);
  const words = [played?.name ?? game, form, deal, text.start.minutes(limit / 60), helped];
  return words.filter((word) => word !== undefined).join(", ");
}

/** Extract the terms from a larger message, such as a room or a proposal. */
export function termsOf({ game, variant, limit, help = "none", known = "" }: Terms): Terms {
  return { game, variant, limit, help, known };
}

export function sameTerms(one: Terms, other: Terms): boolean {
  const [a, b] = [termsOf(one), termsOf(other)];
  return (["game", "variant", "limit", "help", "known"] as const).every(
    (field) => a[field] === b[field],
  );
}
