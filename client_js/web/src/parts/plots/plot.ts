/** Lines and bands of small plots, as SVG paths. Pure functions. */

import type { ApiTypes } from "@samedeal/client";
import type { Course } from "../../app/courses.ts";

/** A plot's inner size in drawing units, and the ranges of its axes. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  /** The time at the right edge, in milliseconds. */
  readonly until: number;
  /** The value at the upper edge. */
  readonly most: number;
}

/** A run as a line: its course, or null if unknown, and when its last card came home. */
export interface DrawnRun {
  readonly id: string;
  readonly colour: string;
  readonly course: Course | null;
  readonly home: number;
  /** Milliseconds. */
  readonly time: number;
  /** Whether it is the player's. */
  readonly own: boolean;
}

/** Return the position of a time, from the left. */
export function across({ width, until }: Frame, time: number): number {
  return rounded(until > 0 ? (width * Math.min(time, until)) / until : 0);
}

/** Return the position of a value, from the top. */
export function down({ height, most }: Frame, value: number): number {
  return rounded(height - (most > 0 ? (height * Math.min(value, most)) / most : 0));
}

/** Return a run's line: level between the cards that came home, and up to its end. */
export function courseLine(frame: Frame, course: Course, end: number): string {
  const [first, ...steps] = course;
  if (first === undefined) return "";
  const line = steps.map(([time, home]) => `H${across(frame, time)}V${down(frame, home)}`).join("");
  return `M${across(frame, first[0])} ${down(frame, first[1])}${line}H${across(frame, end)}`;
}

/** Return a line through values at times in seconds, within the frame. */
export function valueLine(
  frame: Frame,
  seconds: readonly number[],
  values: readonly number[],
): string {
  return points(frame, seconds, values)
    .map(([x, y], nth) => `${nth === 0 ? "M" : "L"}${x} ${y}`)
    .join("");
}

/** Return the area between a lower and an upper line. */
export function band(frame: Frame, { seconds, low, high }: ApiTypes.Curves): string {
  const upper = points(frame, seconds, high);
  const lower = points(frame, seconds, low).reverse();
  const edge = [...upper, ...lower].map(([x, y]) => `${x} ${y}`).join("L");
  return edge === "" ? "" : `M${edge}Z`;
}

/** Whether curves show more than the player's own run, whose median would only repeat it. */
export function haveOthers({ runs }: ApiTypes.Curves, played: boolean): boolean {
  return runs > (played ? 1 : 0);
}

/** Return the time, in milliseconds, when the curves become level. */
export function settledAt({ seconds, low, median, high }: ApiTypes.Curves): number {
  const last = seconds.length - 1;
  const moves = (nth: number): boolean =>
    [low, median, high].some((values) => values[nth] !== values[last]);
  return 1000 * (seconds[seconds.findLastIndex((_, nth) => moves(nth)) + 1] ?? 0);
}

/** Return values at equal intervals as bars: left edge, top and height, in drawing units. */
export function bars(
  frame: Pick<Frame, "width" | "height" | "most">,
  values: readonly number[],
): readonly { readonly x: number; readonly y: number; readonly height: number }[] {
  const step = frame.width / Math.max(1, values.length);
  return values.map((value, nth) => {
    const height = rounded(frame.most > 0 ? (frame.height * value) / frame.most : 0);
    return { x: rounded(nth * step), y: rounded(frame.height - height), height };
  });
}

function points(
  frame: Frame,
  seconds: readonly number[],
  values: readonly number[],
): [number, number][] {
  const shown = values.slice(0, seconds.filter((second) => 1000 * second <= frame.until).length);
  const found = shown.map((value, nth): [number, number] => [
    across(frame, 1000 * (seconds[nth] ?? 0)),
    down(frame, value),
  ]);
  const last = found.at(-1);
  // The last time may precede the edge.
  return last === undefined ? [] : [...found, [frame.width, last[1]]];
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
