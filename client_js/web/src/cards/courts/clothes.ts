/** Clothes on shoulders and chest. */

import { BRASS, INK, IVORY, LIGHT, MAIN, SECOND, both, dot, line, path } from "./pen.ts";

/** Return shoulders and chest, with clothing over the middle. */
export function robe(front: string): string {
  return path("M-90 14V-6C-70-22-44-28-20-32H20C44-28 70-22 90-6V14Z", MAIN) + front;
}

export function ermine(): string {
  const tail = (x: number, y: number) => path(`M${x} ${y}q3 5 0 10q-3-5 0-10Z`, INK);
  return (
    path(
      "M-50-28C-40-12-24 0-10 4V14H10V4C24 0 40-12 50-28L30-34C22-20 10-12 0-10C-10-12-22-20-30-34Z",
      IVORY,
      { stroke: INK, width: 1 },
    ) +
    both(tail(38, -26) + tail(26, -15) + tail(13, -8)) +
    both(dot(-66, -2, 4, BRASS) + dot(-56, 8, 4, BRASS) + dot(-78, 6, 4, BRASS))
  );
}

export function chain(): string {
  const links = [-26, -17, -8, 8, 17, 26].map((x) =>
    dot(x, -22 + 12 - Math.abs(x) * 0.42, 3.2, BRASS),
  );
  return links.join("") + path("M0-12L6-4 0 5-6-4Z", BRASS);
}

export function collar(): string {
  return path("M-30-30C-20-40 20-40 30-30L24-16 12-25 0-12-12-25-24-16Z", IVORY, {
    stroke: INK,
    width: 1.2,
  });
}

export function ruff(): string {
  const folds = [-32, -21, -10.5, 0, 10.5, 21, 32].map(
    (x) =>
      `<ellipse cx="${x}" cy="${-30 + (1 - Math.abs(x) / 32) * 7}" rx="7.5" ry="9.5" fill="${IVORY}" stroke="${SECOND}" stroke-width="1.4"/>`,
  );
  return folds.join("");
}

export function beads(): string {
  return (
    [-15, -10, -4, 4, 10, 15]
      .map((x) => dot(x, -26 + (15 - Math.abs(x)) * 0.95, 2.8, IVORY))
      .join("") + dot(0, -8, 4, BRASS)
  );
}

export function bodice(): string {
  return (
    path("M-22-31L0 8 22-31 34-27 30 14H-30L-34-27Z", LIGHT) +
    path("M-13-27L0 2 13-27 20-30V14H-20V-30Z", SECOND) +
    both(
      [
        [-66, -8],
        [-50, -14],
        [-74, 4],
        [-58, 2],
      ]
        .map(([x = 0, y = 0]) => path(`M${x} ${y - 5}l4 5-4 5-4-5Z`, BRASS))
        .join(""),
    )
  );
}

export function slashes(): string {
  return (
    both(
      path(
        "M-84 14L-70-16-62-19-76 14ZM-64 14L-52-22-44-24-56 14ZM-44 14L-34-26-27-28-36 14Z",
        SECOND,
      ),
    ) + line("M0-20V14", BRASS, 3)
  );
}

export function quilted(): string {
  return both(
    line("M-84 2L-40-26M-70 12L-26-28M-84-10L-60 14M-62-20L-34 14M-42-26L-20 2", SECOND, 2.6),
  );
}
