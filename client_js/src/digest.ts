/** Digests of views, used by client and server to check that their views agree. */

import type { View } from "./rules/board.ts";
import { seenText } from "./rules/notation.ts";

const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** Return a view's digest, as defined in `server/PROTOCOL.md`. */
export function digest(view: View): number {
  return fnv1a([...view.piles.map(seenText), view.redeals].join(","));
}

/** Return the 32-bit FNV-1a hash of an ASCII text. */
export function fnv1a(text: string): number {
  let hash = BASIS;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  }
  return hash >>> 0;
}
