/** Digests of rows, by which the search recognises positions that it has seen. */

import { LANES, digestOfPile, mixed } from "./hashes.ts";
import type { Rows } from "./rows.ts";
import { countOf, sourceOf, targetOf } from "./tables.ts";

const STOCK_SALT = 0x1f3d5b79;
const WASTE_SALT = 0x2a6c8e10;
const REDEAL_FACTOR = 0x0a0761d7;

/**
 * Return a lane of a row's digest: a sum over its piles.
 *
 * Tableau piles are interchangeable, except while their order matters. Foundations of one group
 * are too: only the cards they take are counted.
 */
export function digestOf(rows: Rows, row: number, lane: number): number {
  const { words, bytes } = rows;
  const { piles, waste } = rows.tables;
  const hashes = row * rows.stride + lane;
  const hidden = row * 4 * rows.stride + rows.hidden;
  const ordered = Number(rows.isOrdered(row));
  let total = mixed(words[hashes]! ^ STOCK_SALT);
  total += mixed(words[hashes + LANES * waste]! ^ WASTE_SALT);
  for (let pile = 1; pile < piles - 1; pile++) {
    const hash = words[hashes + LANES * pile]!;
    total = (total + digestOfPile(hash, bytes[hidden + pile]!, pile * ordered)) | 0;
  }
  return (total + phaseOf(rows, row, lane)) | 0;
}

/** Return a lane of the digest of the foundations and redeals. */
export function phaseOf(rows: Rows, row: number, lane: number): number {
  const { bytes, tops, redeals } = rows;
  const { alike, group, kinds, foundations } = rows.tables;
  const base = row * 4 * rows.stride;
  let total = Math.imul(bytes[base + redeals]!, REDEAL_FACTOR);
  for (let f = 0; f < foundations; f++) {
    const top = group[f]! * (kinds + 1) + bytes[base + tops + f]! + 1;
    total = (total + alike[LANES * top + lane]!) | 0;
  }
  return total;
}

/** Return a lane of the hash of cards in `bytes` if they lay at places from `place` on. */
function hashOf(rows: Rows, first: number, count: number, place: number, lane: number): number {
  const { random, kinds } = rows.tables;
  let hash = 0;
  for (let k = 0; k < count; k++) {
    hash ^= random[LANES * ((place + k) * kinds + rows.bytes[first + k]!) + lane]!;
  }
  return hash;
}

/**
 * Return a lane of the digest after a move from tableau or waste that fills no emptied pile.
 *
 * @param end the end of the source's cards in `bytes`.
 */
export function digestAfter(
  rows: Rows,
  row: number,
  move: number,
  end: number,
  lane: number,
): number {
  const { words, bytes } = rows;
  const { piles, kinds, alike, group } = rows.tables;
  const source = sourceOf(move);
  const target = targetOf(move);
  const count = countOf(move);
  const base = row * 4 * rows.stride;
  const sizes = base + rows.sizes;
  const hidden = base + rows.hidden;
  const hashes = row * rows.stride + lane;
  const ordered = Number(rows.isOrdered(row));
  const left = bytes[sizes + source]! - count;
  const first = end - count;
  let mixture = hashOf(rows, first, count, left, lane);
  let total = words[row * rows.stride + rows.digest + lane]!;
  const before = words[hashes + LANES * source]!;
  if (source === piles - 1) {
    total += mixed(before ^ mixture ^ WASTE_SALT) - mixed(before ^ WASTE_SALT);
  } else {
    const down = bytes[hidden + source]!;
    const after = left > 0 && left <= down ? left - 1 : down;
    total += digestOfPile(before ^ mixture, after, source * ordered);
    total -= digestOfPile(before, down, source * ordered);
  }
  if (target >= piles) {
    const f = target - piles;
    const tops = group[f]! * (kinds + 1) + 1;
    const top = bytes[base + rows.tops + f]!;
    total += alike[LANES * (tops + bytes[end - 1]!) + lane]!;
    total -= alike[LANES * (tops + top) + lane]!;
    return total | 0;
  }
  mixture = hashOf(rows, first, count, bytes[sizes + target]!, lane);
  const onto = words[hashes + LANES * target]!;
  const down = bytes[hidden + target]!;
  total += digestOfPile(onto ^ mixture, down, target * ordered);
  total -= digestOfPile(onto, down, target * ordered);
  return total | 0;
}

/** Return a lane of the diversifying hash: of face-down cards, foundations and the waste. */
export function signatureOf(rows: Rows, row: number, lane: number): number {
  const { piles, waste } = rows.tables;
  const hidden = row * 4 * rows.stride + rows.hidden;
  let total = lane;
  for (let pile = 1; pile < piles - 1; pile++) {
    total = mixed(Math.imul(total, 31) + rows.bytes[hidden + pile]!);
  }
  total += mixed(rows.words[row * rows.stride + LANES * waste + lane]!);
  return mixed((total + phaseOf(rows, row, lane)) | 0);
}
