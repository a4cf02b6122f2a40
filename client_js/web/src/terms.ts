/** What a round is played by, in words. */

import { type Terms, games } from "@samedeal/client";
import { text } from "./text/index.ts";

/** As in `Robert, 10 minutes`; the variant is named where it is not the game's base form. */
export function termsWords({ game, variant, limit }: Terms): string {
  const known = games.find(({ id }) => id === game);
  const form = known?.variants.find(({ id }) => id === variant && id !== "standard")?.name;
  const words = [known?.name ?? game, form, text.start.minutes(limit / 60)];
  return words.filter((word) => word !== undefined).join(", ");
}

/** The terms in a message that says more, such as a room or a proposal. */
export function termsOf({ game, variant, limit }: Terms): Terms {
  return { game, variant, limit };
}

/** Whether two terms are the same. */
export function sameTerms(one: Terms, other: Terms): boolean {
  return one.game === other.game && one.variant === other.variant && one.limit === other.limit;
}
