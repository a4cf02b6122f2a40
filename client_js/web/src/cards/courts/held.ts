/** Objects in the figures' hands: weapons, flowers, instruments, with the hand as the origin. */

import { BRASS, INK, IVORY, LIGHT, MAIN, SECOND, SILVER, at, dot, line, path } from "./pen.ts";

export function sword(): string {
  return (
    path("M-5 0L-5-92 0-106 5-92 5 0Z", SILVER, { stroke: INK, width: 1.4 }) +
    line("M0-2V-92", INK, 1) +
    path("M-18-2H18V6H-18Z", BRASS) +
    path("M-4 6H4V30H-4Z", SECOND)
  );
}

export function sceptre(): string {
  return (
    path("M-3.5-64H3.5V34H-3.5Z", BRASS) +
    path("M0-66C-16-80-16-94-7-95C-3-95 0-92 0-88C0-92 3-95 7-95C16-94 16-80 0-66Z", SECOND, {
      stroke: BRASS,
      width: 3,
    })
  );
}

export function axe(): string {
  return (
    path("M-3.5-96H3.5V34H-3.5Z", "#7a4d2a") +
    path("M3-92C20-96 30-86 30-72C30-58 20-50 3-54Z", SILVER, { stroke: INK, width: 1.4 }) +
    path("M-3-84H-14V-62H-3Z", BRASS)
  );
}

export function orb(): string {
  return (
    dot(0, 0, 19, SECOND) +
    line("M-18-3C-8 3 8 3 18-3M0-19V-1", BRASS, 4) +
    path("M-2.5-40H2.5V-33H9V-28H2.5V-18H-2.5V-28H-9V-33H-2.5Z", BRASS)
  );
}

export function rose(): string {
  return (
    line("M0 4C3 22-2 36-6 48", "#2f6b45", 3.4) +
    path("M0 22C10 12 20 16 22 24C14 30 6 30 0 22Z", "#3f8256") +
    [0, 72, 144, 216, 288]
      .map((turn) =>
        at(0, -8, turn, path("M0-3C-11-8-11-21 0-22C11-21 11-8 0-3Z", turn % 144 ? SECOND : MAIN)),
      )
      .join("") +
    dot(0, -8, 6, BRASS)
  );
}

export function lily(): string {
  return (
    line("M0 4C3 22-2 36-6 48", "#2f6b45", 3.4) +
    [-52, 52, -26, 26, 0]
      .map((turn) =>
        at(
          0,
          4,
          turn,
          path("M0 0C-9-12-7-28 0-36C7-28 9-12 0 0Z", Math.abs(turn) === 26 ? LIGHT : IVORY, {
            stroke: MAIN,
            width: 1.4,
          }),
        ),
      )
      .join("") +
    dot(0, 2, 4, BRASS)
  );
}

export function fan(): string {
  const blades = [-60, -36, -12, 12, 36, 60].map((turn, nth) =>
    at(
      0,
      10,
      turn,
      path("M0 0L-8-44Q0-50 8-44Z", nth % 2 ? SECOND : LIGHT, { stroke: MAIN, width: 1.4 }),
    ),
  );
  return blades.join("") + path("M-3 6H3V36H-3Z", BRASS) + dot(0, 10, 4, BRASS);
}

export function clover(): string {
  return (
    line("M0 2C2 22-2 36-4 48", "#2f6b45", 3.4) +
    [0, 120, 240]
      .map((turn) =>
        at(
          0,
          -6,
          turn,
          path(
            "M0-2C-14-8-14-26-4-24C-1-24 0-22 0-20C0-22 1-24 4-24C14-26 14-8 0-2Z",
            turn ? SECOND : MAIN,
          ),
        ),
      )
      .join("")
  );
}

export function lute(): string {
  return (
    path("M-3.5-70H3.5V-10H-3.5Z", "#7a4d2a") +
    path("M-4-82L5-80 4-68H-4Z", INK) +
    path("M0-18C18-14 20 12 0 22C-20 12-18-14 0-18Z", BRASS, { stroke: "#7a4d2a", width: 1.6 }) +
    dot(0, 0, 6, "#5a3418") +
    line("M-1.2-70V10M1.2-70V10", IVORY, 0.9)
  );
}

export function horn(): string {
  return (
    path("M-26 26C4 22 12-2 10-34L26-38C30 6 10 38-22 40Z", BRASS) +
    path("M6-33L31-40 29-48 4-41Z", SECOND) +
    line("M13-4L29-4M3 18L15 28", MAIN, 3.5)
  );
}

export function arrow(): string {
  return (
    path("M-2.5-84H2.5V40H-2.5Z", "#7a4d2a") +
    path("M0-108L11-80 0-86-11-80Z", SILVER, { stroke: INK, width: 1.4 }) +
    path("M0 18L9 10V26L0 34-9 26V10Z", SECOND)
  );
}

export function torch(): string {
  return (
    path("M-6-30H6L3 40H-3Z", "#7a4d2a") +
    path("M-9-34H9V-26H-9Z", BRASS) +
    path("M0-34C-16-42-14-58-4-66C-4-58 2-58 3-74C14-62 17-42 0-34Z", SECOND) +
    path("M0-35C-7-40-6-48 0-53C6-48 7-40 0-35Z", BRASS)
  );
}
