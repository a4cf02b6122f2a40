/** Faces, beards and hair. */

import { BRASS, INK, IVORY, MAIN, at, both, dot, line, path } from "./pen.ts";

export interface Person {
  readonly skin: string;
  /** The cheek's and the eyelids' colour. */
  readonly shade: string;
  readonly hair: string;
  /** The direction of the eyes: -1 is the left of the card. */
  readonly look: -1 | 1;
}

/** Return head, ears, eyes, brows and nose, turned slightly towards the look. */
export function head({ skin, shade, look }: Person, jaw: number): string {
  const x = 3.5 * look;
  const eye = (cx: number) =>
    path(`M${cx - 5.5}-72Q${cx}-78.5 ${cx + 5.5}-72Q${cx}-68.5 ${cx - 5.5}-72Z`, IVORY) +
    dot(cx + 1.6 * look, -72.8, 2.9, INK) +
    line(`M${cx - 6}-72.5Q${cx}-79.5 ${cx + 6}-72.5`, INK, 1.8);
  return (
    path(`M-23-92V-66C-23-50-${jaw}-40 0-40C${jaw}-40 23-50 23-66V-92Z`, skin) +
    eye(-9.5 + x) +
    eye(9.5 + x) +
    line(`M${x + 0.5}-72L${x + 5 * look}-60Q${x + 3 * look}-57.5 ${x - 1 * look}-58`, shade, 2.2)
  );
}

export function brows({ look }: Person, colour: string, tilt: number): string {
  const x = 3.5 * look;
  return line(
    `M${x - 16}-${79 - tilt}Q${x - 10}-${84 + tilt} ${x - 4}-${81 + tilt}M${x + 16}-${79 - tilt}Q${x + 10}-${84 + tilt} ${x + 4}-${81 + tilt}`,
    colour,
    2.6,
  );
}

export function mouth({ look }: Person, d: string, colour: string): string {
  return at(3 * look, -50, 0, line(d, colour, 2.4));
}

export function cheeks({ shade, look }: Person): string {
  const x = 3 * look;
  return `<g opacity=".35">${dot(x - 14, -60, 4.5, shade)}${dot(x + 14, -60, 4.5, shade)}</g>`;
}

export function neck(skin: string): string {
  return path("M-10-46H10V-30Q0-20-10-30Z", skin);
}

export function beardLong(hair: string): string {
  return (
    path("M-23-66C-24-30-12-6 0 2C12-6 24-30 23-66C18-52 10-56 0-54C-10-56-18-52-23-66Z", hair) +
    line("M-10-34C-6-22-3-14 0-8M10-34C6-22 3-14 0-8", "#a9b6c4", 1.8) +
    path("M0-56C-7-60-14-57-20-60C-16-50-6-50 0-53C6-50 16-50 20-60C14-57 7-60 0-56Z", "#c3ced9") +
    line("M-5-47H5", MAIN, 2.4)
  );
}

export function beardForked(hair: string): string {
  return (
    path(
      "M-23-68C-25-36-20-22-10-12C-6-18-2-26 0-30C2-26 6-18 10-12C20-22 25-36 23-68C18-52 8-56 0-52C-8-56-18-52-23-68Z",
      hair,
    ) + line("M-6-47Q0-43 6-47", MAIN, 2.6)
  );
}

export function beardShort(hair: string): string {
  return (
    path("M-23-72C-25-46-14-34 0-34C14-34 25-46 23-72C20-52 14-54 0-54C-14-54-20-52-23-72Z", hair) +
    line("M-5-46Q0-43 5-46", "#e6b5a0", 2.6)
  );
}

export function beardCurled(hair: string): string {
  const tips = [-18, -9, 0, 9, 18]
    .map((x) => dot(x, -38 + Math.abs(x) * -0.35 + (x === 0 ? 3 : 0), 8, hair))
    .join("");
  return (
    path("M-23-70C-24-46-18-36 0-34C18-36 24-46 23-70C18-54 10-56 0-54C-10-56-18-54-23-70Z", hair) +
    tips +
    path("M0-55C-6-60-16-58-22-66C-20-52-8-50 0-53C8-50 20-52 22-66C16-58 6-60 0-55Z", "#75503a") +
    line("M-5-47Q0-44 5-47", "#f0c3ae", 2.4)
  );
}

export function longHair(hair: string): string {
  return path(
    "M0-116C-30-116-40-96-40-74C-40-48-46-34-54-26C-38-20-24-28-20-42V-84H20V-42C24-28 38-20 54-26C46-34 40-48 40-74C40-96 30-116 0-116Z",
    hair,
  );
}

export function braids(hair: string): string {
  const knots = [-60, -48, -36, -24]
    .map((y, nth) => `<ellipse cx="${-32 - nth * 1.5}" cy="${y}" rx="8" ry="7.5" fill="${hair}"/>`)
    .join("");
  return (
    path("M0-114C-28-114-36-98-34-66H34C36-98 28-114 0-114Z", hair) +
    both(knots + path("M-41-18L-33-18-35-8-40-8Z", BRASS))
  );
}

export function bun(hair: string): string {
  return (
    path("M0-112C-28-112-34-92-30-62L-22-56H22L30-62C34-92 28-112 0-112Z", hair) +
    dot(0, -120, 17, hair)
  );
}

export function curls(hair: string): string {
  const locks = [
    [-30, -92],
    [-36, -78],
    [-37, -63],
    [-34, -49],
    [-30, -37],
  ]
    .map(([x = 0, y = 0]) => dot(x, y, 10.5, hair))
    .join("");
  return path("M0-112C-30-112-34-90-30-60H30C34-90 30-112 0-112Z", hair) + both(locks);
}

export function bob(hair: string): string {
  return path(
    "M-27-94C-36-76-36-54-31-42C-22-40-19-48-20-58V-90ZM27-94C36-76 36-54 31-42C22-40 19-48 20-58V-90Z",
    hair,
  );
}

export function crop(hair: string): string {
  return path("M-25-96C-29-84-28-72-25-62L-21-70V-94ZM25-96C29-84 28-72 25-62L21-70V-94Z", hair);
}

export const parting = (hair: string) =>
  path("M0-100C-16-100-24-88-24-72C-12-78-4-88 0-96C4-88 12-78 24-72C24-88 16-100 0-100Z", hair);

export const fringe = (hair: string) =>
  path("M-24-76C-26-96-14-102 0-102C14-102 26-96 24-76C18-88 8-86 0-87C-8-86-18-88-24-76Z", hair);
