/** The small pictures of what is shared: they tell how a run went, and nothing of the deal. Pure. */

import type { Result } from "@samedeal/client";
import { type Course, homeAt } from "../app/courses.ts";
import type { Target } from "../app/targets.ts";

/** How many parts a run is cut into. */
const PARTS = 10;
const BLOCKS = "▁▂▃▄▅▆▇█";

/** A block as high as a share of what there was to reach; full only if all was. */
function blockOf(share: number): string {
  const most = BLOCKS.length - 1;
  return BLOCKS.charAt(share >= 1 ? most : Math.min(most - 1, Math.floor(share * BLOCKS.length)));
}

/** The cards home at the end of each part of a run's time, against an aim. */
export function shapeOf(course: Course, end: number, aim: number): string {
  return Array.from({ length: PARTS }, (_, part) =>
    blockOf(homeAt(course, (end * (part + 1)) / PARTS) / aim),
  ).join("");
}

/** The cards home as a bar: full only if the aim is reached, and empty only if none is home. */
export function barOf(home: number, aim: number): string {
  const share = (PARTS * home) / aim;
  const full = home >= aim ? PARTS : Math.min(PARTS - 1, Math.max(Math.sign(home), share));
  return blockOf(1).repeat(Math.floor(full)) + blockOf(0).repeat(PARTS - Math.floor(full));
}

/** The picture of a result, against what its deal is played for. */
export function pictureOf(
  course: Course | null,
  { home, time }: Pick<Result, "home" | "time">,
  target: Target | null,
): string {
  const aim = Math.max(1, target?.home ?? home);
  return course === null ? barOf(home, aim) : shapeOf(course, time, aim);
}

/** A sentence, and its picture below it. */
export function shared(sentence: string, ...picture: readonly string[]): string {
  return [sentence, ...picture].join("\n");
}
