/** The small pictures of what is shared: they tell how a run went, and nothing of the deal. */

import { PARTS, type Standing } from "./placing.ts";

const SQUARES = { ahead: "🟩", level: "🟨", behind: "⬛" } as const;
const EMPTY = "⬜";

/** A run against the one in the middle, a square for each part of its time. */
export function squaresOf(standings: readonly Standing[]): string {
  return standings.map((standing) => SQUARES[standing]).join("");
}

/** The cards home as a bar: full only if all are, and empty only if none is. */
export function barOf(home: number, total: number): string {
  const share = (PARTS * home) / total;
  const full = home === total ? PARTS : Math.min(PARTS - 1, Math.max(Math.sign(home), share));
  return SQUARES.ahead.repeat(Math.floor(full)) + EMPTY.repeat(PARTS - Math.floor(full));
}

/** A sentence, and its picture below it. */
export function shared(sentence: string, ...picture: readonly string[]): string {
  return [sentence, ...picture].join("\n");
}
