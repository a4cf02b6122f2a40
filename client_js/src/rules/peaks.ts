/**
 * The places of overlapping peaks, by row, and how many cards of a pile are dealt face down.
 *
 * With P peaks, row r, counted from 1 at the top, has P * r places, but the last one, which all
 * peaks share, has P * (r - 1) + 1. Places are numbered from 0, row by row, from left to right.
 */

import type { Reserve, Tableau } from "./schema.ts";

/** The most peaks, and the most places of all of them together. */
export const MAX_PEAKS = 4;
export const MAX_PLACES = 30;

/** Return the number of places of each row, from the top; null unless two or more are complete. */
export function rowsOf(peaks: number, places: number): readonly number[] | null {
  const rows: number[] = [];
  // The last row has `peaks - 1` places less than it would have if peaks did not share it.
  let left = places + peaks - 1;
  for (let size = peaks; left >= size && left > 0; size += peaks) {
    rows.push(size);
    left -= size;
  }
  const last = rows.pop();
  return left > 0 || last === undefined || rows.length === 0 ? null : [...rows, last - peaks + 1];
}

/** Return for each place the two places of the next row that cover it; none for the last row. */
export function coveredBy(peaks: number, places: number): readonly (readonly number[])[] {
  const rows = rowsOf(peaks, places) ?? [];
  let start = 0;
  return rows.flatMap((size, at) => {
    start += size;
    return Array.from({ length: size }, (_, place) => {
      if (at === rows.length - 1) return [];
      // Each peak but the first has one place more to its left in the next row, if that is not the
      // shared one.
      const left = start + place + (at === rows.length - 2 ? 0 : Math.floor(place / (at + 1)));
      return [left, left + 1];
    });
  });
}

/** Return the number of cards of each pile that are dealt face down. */
export function dealtDown(part: Tableau | Reserve): readonly number[] {
  const { deal, face_up: up } = part;
  if (up === "all") return deal.map(() => 0);
  const peaks = "peaks" in part ? part.peaks : null;
  if (peaks === null) return deal.map((dealt) => Math.max(0, dealt - up));
  const rows = rowsOf(peaks, deal.length) ?? [];
  return rows.flatMap((size, row) => Array<number>(size).fill(Number(row < rows.length - up)));
}
