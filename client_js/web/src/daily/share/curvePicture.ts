/** A picture of a run's curve for sharing: it reveals nothing about the deal. */

import type { Course } from "../../app/courses.ts";
import { text } from "../../text/index.ts";
import { type Frame, across, courseLine, down } from "../../parts/plots/plot.ts";

export interface Curve {
  readonly course: Course;
  /** When the last card came home, in milliseconds since the start. */
  readonly time: number;
  /** The cards home at the upper edge. */
  readonly most: number;
  /** The game, and the day. */
  readonly title: string;
  readonly date: string;
  /** The result in words, one line each. */
  readonly said: readonly string[];
  /** The labels at the ends of the time axis. */
  readonly times: readonly [from: string, to: string];
}

/** Pixels. */
const WIDTH = 1200;
const HEIGHT = 675;
const EDGE = 72;
const PLOT = { top: 270, height: 285 } as const;

/** The page's colours and fonts, which depend on the chosen table. */
function looks() {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string): string => style.getPropertyValue(name).trim();
  return {
    felt: value("--felt-dark"),
    ink: value("--felt-ink"),
    soft: value("--felt-soft"),
    brass: value("--brass"),
    display: value("--display"),
    plain: value("--text"),
  };
}

/** Return the curve as a PNG file; null if the browser cannot draw it. */
export async function pictureFile(curve: Curve, name: string): Promise<File | null> {
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const context = canvas.getContext("2d");
  if (context === null) return null;
  drawWords(context, curve);
  drawCurve(context, curve);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  return blob && new File([blob], `${name}.png`, { type: blob.type });
}

function drawWords(context: CanvasRenderingContext2D, { title, date, said, times }: Curve): void {
  const { felt, ink, soft, brass, display, plain } = looks();
  context.fillStyle = felt;
  context.fillRect(0, 0, WIDTH, HEIGHT);
  const write = (words: string, y: number, colour: string, font: string, right = false): void => {
    context.fillStyle = colour;
    context.font = font;
    context.textAlign = right ? "right" : "left";
    context.fillText(words, right ? WIDTH - EDGE : EDGE, y, WIDTH - 2 * EDGE);
  };
  write(title, 128, ink, `700 68px ${display}`);
  write(date, 178, soft, `400 32px ${plain}`);
  write(text.wordmark, 118, brass, `700 44px ${display}`, true);
  said.forEach((words, nth) => write(words, 178 + 44 * nth, ink, `650 34px ${plain}`, true));
  const below = PLOT.top + PLOT.height + 48;
  write(times[0], below, soft, `400 28px ${plain}`);
  write(times[1], below, soft, `400 28px ${plain}`, true);
}

function drawCurve(context: CanvasRenderingContext2D, { course, time, most }: Curve): void {
  const frame: Frame = { width: WIDTH - 2 * EDGE, height: PLOT.height, until: time, most };
  const line = courseLine(frame, course, time);
  const { ink, brass } = looks();
  const end = course.at(-1)?.[1] ?? 0;
  context.translate(EDGE, PLOT.top);
  context.lineJoin = "round";
  context.strokeStyle = ink;
  context.fillStyle = brass;
  context.globalAlpha = 0.25;
  context.lineWidth = 2;
  for (const share of [0, 1]) {
    context.stroke(new Path2D(`M0 ${share * frame.height}H${frame.width}`));
  }
  // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type -- A canvas is no array.
  context.fill(new Path2D(`${line}V${frame.height}H0Z`));
  context.globalAlpha = 1;
  context.strokeStyle = brass;
  context.lineWidth = 7;
  context.stroke(new Path2D(line));
  context.beginPath();
  context.arc(across(frame, time), down(frame, end), 13, 0, 2 * Math.PI);
  context.fill();
}
