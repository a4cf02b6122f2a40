/** The player's best run in each game, in this browser's storage. */

import type { Result, TextStorage } from "@samedeal/client";
import { type Outcome, compare } from "./margin.ts";
import { isOwnWork } from "./moments.ts";

interface Stored extends Outcome {
  readonly deal: string;
  /** The run that it beat; null for the first. */
  readonly before: Outcome | null;
}

export interface EndedRun {
  readonly game: string;
  readonly variant: string;
  readonly deal: string;
  readonly result: Pick<Result, "end" | "home" | "time" | "undos" | "hints">;
}

/** Store a game's best run without help, idempotently; return the previous best, or null. */
export function noteRun(storage: TextStorage, run: EndedRun): Outcome | null {
  const { game, variant, deal, result } = run;
  const key = `samedeal.record.${game}.${variant}`;
  const best = readBest(storage.getItem(key));
  if (best?.deal === deal) return best.before;
  if (isOwnWork(result) && (best === null || compare(result, best).order === "ahead")) {
    const { home, time } = result;
    const before = best && { home: best.home, time: best.time };
    storage.setItem(key, JSON.stringify({ deal, home, time, before } satisfies Stored));
  }
  return best && { home: best.home, time: best.time };
}

/** Parse the best run from stored JSON; null if it is missing or malformed. */
function readBest(text: string | null): Stored | null {
  try {
    const { deal, home, time, before } = JSON.parse(text ?? "null") as Stored;
    const whole = typeof deal === "string" && isOutcome({ home, time });
    return whole ? { deal, home, time, before: isOutcome(before) ? before : null } : null;
  } catch {
    return null;
  }
}

function isOutcome(found: Outcome | null): found is Outcome {
  return Number.isFinite(found?.home) && Number.isFinite(found?.time);
}
