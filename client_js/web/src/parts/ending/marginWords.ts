/** Margins in words. */

import { clockText, text } from "../../text/index.ts";
import type { Comparison } from "./margin.ts";

/** Return a difference in words, such as "3 cards" or "0.4 s". */
export function marginWords(found: Exclude<Comparison, { readonly order: "level" }>): string {
  return "cards" in found ? text.ghostEnd.cards(found.cards) : spanWords(found.milliseconds);
}

/** Return a short duration, such as "0.4 s" or "1:05 min", of at least a tenth of a second. */
function spanWords(milliseconds: number): string {
  const tenths = Math.max(1, Math.round(milliseconds / 100));
  if (tenths >= 600) return text.ghostEnd.minutes(clockText(milliseconds));
  return text.ghostEnd.seconds((tenths / 10).toLocaleString(text.locale));
}
