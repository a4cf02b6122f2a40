/**
 * Ghosts: an ended run that somebody races against in practice. Of the run only its counters are
 * kept, so nothing of its board can be shown.
 */

import type { Replay, Result } from "@samedeal/client";
import { type Course, courseOf, homeAt } from "../app/courses.ts";
import { type Comparison, marginWords } from "../parts/ending/margin.ts";
import { text } from "../text/index.ts";

/** A run, as far as a race against it needs it. It is stored in this browser. */
export interface Ghost {
  /** The id of the attempt that it was. */
  readonly attempt: string;
  /** The id and the name of its player. */
  readonly player: string;
  readonly name: string;
  readonly steps: Course;
  /** When it ended, in milliseconds since its start. */
  readonly ended: number;
  readonly result: Result;
}

/** The ghost of a run. */
export function ghostOf(replay: Replay): Ghost {
  const { attempt, player, ended } = replay.run;
  const { id, name } = player;
  return { attempt, player: id, name, steps: courseOf(replay), ended, result: replay.result };
}

/** The cards that a ghost has home at a time in milliseconds since the start, and how it ended. */
export function ghostAt(ghost: Ghost, time: number): Pick<Result, "home" | "end"> {
  return { home: homeAt(ghost.steps, time), end: time < ghost.ended ? null : ghost.result.end };
}

/** A comparison with a ghost in words; its name is null if it is a run of the player's own. */
export function ghostWords(name: string | null, comparison: Comparison): string {
  const words = text.ghost;
  if (comparison.order === "level") return words.level(name);
  return words[comparison.order](name, marginWords(comparison));
}
