/**
 * Small text pictures for sharing: they show the course of a run, and reveal nothing about the
 * deal. Pure functions.
 */

import type { Result } from "@samedeal/client";
import { type Course, homeAt } from "../../app/courses.ts";
import type { Target } from "../../app/targets.ts";

/** The number of intervals of a run. */
const PARTS = 10;
const BLOCKS = "▁▂▃▄▅▆▇█";

/** Return a block whose height is a fraction of the target; full only at the target. */
function blockOf(share: number): string {
  const most = BLOCKS.length - 1;
  return BLOCKS.charAt(share >= 1 ? most : Math.min(most - 1, Math.floor(share * BLOCKS.length)));
}

/** Return the cards home at the end of each interval of a run, relative to an aim. */
export function shapeOf(course: Course, end: number, aim: number): string {
  return Array.from({ length: PARTS }, (_, part) =>
    blockOf(homeAt(course, (end * (part + 1)) / PARTS) / aim),
  ).join("");
}

/** Return the cards home as a bar: full only at the aim, and empty only without cards. */
export function barOf(home: number, aim: number): string {
  const share = (PARTS * home) / aim;
  const full = home >= aim ? PARTS : Math.min(PARTS - 1, Math.max(Math.sign(home), share));
  return blockOf(1).repeat(Math.floor(full)) + blockOf(0).repeat(PARTS - Math.floor(full));
}

/** Return the picture of a result, relative to its deal's target. */
export function pictureOf(
  course: Course | null,
  { home, time }: Pick<Result, "home" | "time">,
  target: Target | null,
): string {
  const aim = Math.max(1, target?.home ?? home);
  return course === null ? barOf(home, aim) : shapeOf(course, time, aim);
}

export function shared(sentence: string, ...picture: readonly string[]): string {
  return [sentence, ...picture].join("\n");
}
