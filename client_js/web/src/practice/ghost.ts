/**
 * Ghosts: finished runs to race against in practice. Only a run's counters are kept, so its board
 * cannot be shown.
 */

import type { Replay, Result } from "@samedeal/client";
import { type Course, courseOf, homeAt } from "../app/courses.ts";
import type { Comparison } from "../parts/ending/margin.ts";
import { marginWords } from "../parts/ending/marginWords.ts";
import { text } from "../text/index.ts";

/** The parts of a run needed for a race against it. Stored in this browser. */
export interface Ghost {
  readonly attempt: string;
  /** The id and the name of its player. */
  readonly player: string;
  readonly name: string;
  readonly steps: Course;
  /** When it ended, in milliseconds since its start. */
  readonly ended: number;
  readonly result: Result;
}

export function ghostOf(replay: Replay): Ghost {
  const { attempt, player, ended } = replay.run;
  const { id, name } = player;
  return { attempt, player: id, name, steps: courseOf(replay), ended, result: replay.result };
}

/** Return a ghost's cards home, and its end, at a time in milliseconds since the start. */
export function ghostAt(ghost: Ghost, time: number): Pick<Result, "home" | "end"> {
  return { home: homeAt(ghost.steps, time), end: time < ghost.ended ? null : ghost.result.end };
}

/** Return a comparison with a ghost in words; `name` is null for the player's own run. */
export function ghostWords(name: string | null, comparison: Comparison): string {
  const words = text.ghostEnd;
  if (comparison.order === "level") return words.level(name);
  return words[comparison.order](name, marginWords(comparison));
}
