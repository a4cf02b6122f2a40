/** Labels of listed variants where they are chosen, including the standard one. */

import { STANDARD } from "@samedeal/client";
import type { Variant } from "../../../../src/rules/schema.ts";
import { listedWords } from "../../app/own/names.ts";
import { entry, text } from "../../text/index.ts";

/** Return a variant's label. The standard one is named by what others change, if possible. */
export function variantLabel(game: string, variant: Variant): string {
  if (variant.id !== STANDARD) return listedWords(game, variant);
  return entry(text.solo.standards, game) ?? text.solo.usual;
}
