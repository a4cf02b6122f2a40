/** Crowns of kings and queens, and the hats of jacks. */

import { BRASS, INK, IVORY, LIGHT, MAIN, SECOND, at, dot, line, path } from "./pen.ts";

/** A crown of points with a jewelled band. */
export function spiked(): string {
  return (
    path("M-31-88L-36-122-18-107 0-132 18-107 36-122 31-88Z", BRASS) +
    path("M-31-97H31V-86H-31Z", MAIN) +
    [-20, 0, 20].map((x) => path(`M${x}-96l4.5 4.5-4.5 4.5-4.5-4.5Z`, BRASS)).join("") +
    dot(-36, -123, 4.5, SECOND) +
    dot(36, -123, 4.5, SECOND) +
    dot(0, -133, 5.5, SECOND)
  );
}

/** A closed crown with arches and a cross. */
export function arched(): string {
  return (
    path("M-30-90C-40-118-22-126 0-122C22-126 40-118 30-90Z", MAIN) +
    line("M-30-92C-38-116-20-126 0-122C20-126 38-116 30-92M0-122V-94", BRASS, 6) +
    path("M-32-99H32V-86H-32Z", BRASS) +
    [-18, 0, 18].map((x) => dot(x, -92.5, 3.2, SECOND)).join("") +
    path("M-2.5-140H2.5V-134H8.5V-129H2.5V-121H-2.5V-129H-8.5V-134H-2.5Z", BRASS)
  );
}

/** A flat crown of fleurs. */
export function lilies(): string {
  const lily = (x: number, k: number) =>
    `<g transform="translate(${x} -100) scale(${k})">${path("M0-26C7-18 7-10 3-4 8-12 16-12 15-4 13 2 6 2 0 6-6 2-13 2-15-4-16-12-8-12-3-4-7-10-7-18 0-26Z", BRASS)}</g>`;
  return (
    lily(-25, 0.85) +
    lily(25, 0.85) +
    lily(0, 1.15) +
    path("M-32-101H32L30-86H-30Z", BRASS) +
    path("M-30-95H30V-91H-30Z", MAIN)
  );
}

/** A turban with a jewel and an aigrette. */
export function turban(): string {
  return (
    path("M0-118C8-128 8-138 2-146C-8-138-8-126 0-118Z", BRASS) +
    path("M-34-88C-44-108-28-126 0-124C28-126 44-108 34-88C18-98-18-98-34-88Z", SECOND) +
    line("M-33-92C-20-112 8-122 26-119M-20-97C-6-110 16-116 36-106", LIGHT, 3) +
    path("M-35-87C-18-101 18-101 35-87L33-82C16-93-16-93-33-82Z", BRASS) +
    path("M0-124L8-112 0-100-8-112Z", MAIN, { stroke: BRASS, width: 3 })
  );
}

export function tiara(): string {
  return (
    path(
      "M-30-86C-28-100-24-106-20-112L-11-100 0-120 11-100 20-112C24-106 28-100 30-86C16-94-16-94-30-86Z",
      BRASS,
    ) +
    [-20, 20].map((x) => dot(x, -114, 3.5, SECOND)).join("") +
    dot(0, -122, 4.5, SECOND) +
    dot(0, -97, 3.6, MAIN)
  );
}

export function coronet(): string {
  return (
    path("M-24-104C-24-120-12-128 0-128C12-128 24-120 24-104Z", MAIN) +
    path("M-27-88L-30-114-14-104-8-120 0-106 8-120 14-104 30-114 27-88C12-93-12-93-27-88Z", BRASS) +
    [-30, -8, 8, 30].map((x, nth) => dot(x, nth % 3 === 0 ? -116 : -121, 3.2, IVORY)).join("") +
    dot(0, -96, 3.4, SECOND)
  );
}

/** A band over the brow with a star, worn on high hair. */
export function diadem(): string {
  return (
    path("M-26-96C-10-104 10-104 26-96L25-89C10-97-10-97-25-89Z", BRASS) +
    path("M0-122L4.5-109 18-107 7-99 11-86 0-94-11-86-7-99-18-107-4.5-109Z", BRASS) +
    dot(0, -102, 4, MAIN)
  );
}

export function hood(): string {
  return (
    path("M-32-84C-36-110-20-124 0-124C20-124 36-110 32-84C22-104-22-104-32-84Z", MAIN) +
    line("M-31-86C-24-108 24-108 31-86", IVORY, 4) +
    [-24, -9, 9, 24].map((x) => dot(x, -101 - 3.5 * (1 - Math.abs(x) / 24), 2.6, BRASS)).join("")
  );
}

function feather(colour: string): string {
  return (
    path("M0 0C-12-16-12-36 4-54C16-38 16-16 0 0Z", colour) + line("M0 0C2-18 4-34 4-48", INK, 1.4)
  );
}

/** A soft cap with an upturned brim, and a feather on the side away from the look. */
export function beret(look: number): string {
  return (
    at(-24 * look, -100, -26 * look, feather(BRASS)) +
    path(`M-33-88C-42-108-22-126 ${10 * look}-122C34-124 44-108 33-88Z`, MAIN) +
    path("M-35-94C-16-86 16-86 35-94L34-83C16-77-16-77-34-83Z", SECOND) +
    dot(-24 * look, -94, 5, IVORY) +
    dot(-24 * look, -94, 2.5, BRASS)
  );
}

/** A tall hat with a narrow brim. */
export function tall(look: number): string {
  return (
    path(`M-24-90C-26-116-22-130 ${6 * look}-134C26-130 26-112 24-90Z`, MAIN) +
    path("M-24-103C-10-98 10-98 24-103V-92H-24Z", BRASS) +
    path("M-42-89C-20-98 20-98 42-89C24-81-24-81-42-89Z", SECOND) +
    at(20 * look, -98, 24 * look, feather(IVORY))
  );
}

/** A cap whose tip hangs to one side, with a bell. */
export function drooping(look: number): string {
  return (
    `<g transform="scale(${look} 1)">` +
    path(
      "M-33-86C-36-116-16-130 8-126C36-122 52-100 46-72C40-84 34-88 32-86C10-94-12-94-33-86Z",
      MAIN,
    ) +
    line("M-6-124C14-118 30-106 38-90M-22-116C-8-110 6-104 14-96", SECOND, 4) +
    path("M-34-94C-16-102 16-102 34-94L33-83C16-91-16-91-33-83Z", SECOND) +
    dot(46, -68, 6.5, BRASS) +
    "</g>"
  );
}

/** A flat cap with a leaf. */
export function flat(look: number): string {
  return (
    path("M-40-94C-40-116-20-118 0-118C20-118 40-116 40-94C22-100-22-100-40-94Z", MAIN) +
    path("M-32-95C-16-101 16-101 32-95V-84C16-91-16-91-32-84Z", BRASS) +
    at(
      22 * look,
      -104,
      34 * look,
      path("M0 0C-14-8-16-24 0-34C16-24 14-8 0 0Z", SECOND) + line("M0 0V-26", IVORY, 1.6),
    )
  );
}
