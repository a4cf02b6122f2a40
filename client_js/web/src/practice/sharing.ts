/** Practice deals as links. */

import { isDeck, parseSeed, shuffled } from "../../../src/rules/deal.ts";
import { bytesToHex } from "../../../src/rules/sha256.ts";
import type { Practice } from "./practice.svelte.ts";

/** Return a deal's deck in hexadecimal, so that anyone can play it. */
export function sharedDeck({ ruleset, seed }: Pick<Practice, "ruleset" | "seed">): string {
  const cards = parseSeed(seed);
  return isDeck(cards) ? seed : bytesToHex(Uint8Array.from(shuffled(ruleset.pack, cards)));
}
