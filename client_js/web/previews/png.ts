/**
 * Reduces the colours of a PNG: screenshots have thousands, most of them at the edges of shadows.
 *
 * Colours are RGB numbers such as `0x1d6a50`.
 */

import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MAX_COLOURS = 192;
/** Colours with at least this share of the pixels are kept: the table's and the cards'. */
const MIN_KEPT_SHARE = 0.002;
/** The number of k-means iterations after the median cut. */
const ROUNDS = 6;
const SHIFTS: readonly number[] = [16, 8, 0];

/** Encode a PNG again with a palette of at most `MAX_COLOURS`. */
export function withFewColours(png: Buffer): Buffer {
  const { width, height, colours } = read(png);
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const palette = paletteOf(counts);
  const nearest = new Map([...counts.keys()].map((c) => [c, nearestIn(palette, c)]));
  const rows = Buffer.alloc(height * (width + 1));
  colours.forEach((colour, at) => {
    rows[at + Math.floor(at / width) + 1] = nearest.get(colour) as number;
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8); // eight bits per pixel, indexed colours
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk(
      "PLTE",
      Buffer.from(palette.flatMap((colour) => SHIFTS.map((by) => channel(colour, by)))),
    ),
    chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly colours: Uint32Array;
}

/** Decode a PNG with three or four bytes per pixel, as written by browsers. */
function read(png: Buffer): Pixels {
  const data: Buffer[] = [];
  let header = Buffer.alloc(0);
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    const body = png.subarray(at + 8, at + 8 + length);
    const type = png.toString("latin1", at + 4, at + 8);
    if (type === "IHDR") header = Buffer.from(body);
    if (type === "IDAT") data.push(body);
    at += length + 12;
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const bytes = header[9] === 6 ? 4 : 3;
  const lines = unfilter(inflateSync(Buffer.concat(data)), width * bytes, bytes);
  const colours = Uint32Array.from({ length: width * height }, (_, at) =>
    lines.readUIntBE(at * bytes, 3),
  );
  return { width, height, colours };
}

/** Undo the filters of a PNG's scan lines; each line starts with the byte of its filter type. */
function unfilter(lines: Buffer, length: number, bytes: number): Buffer {
  const height = lines.length / (length + 1);
  const out = Buffer.alloc(height * length);
  for (let line = 0; line < height; line++) {
    const filter = lines[line * (length + 1)] as number;
    for (let x = 0; x < length; x++) {
      const at = line * length + x;
      const left = x < bytes ? 0 : (out[at - bytes] as number);
      const up = line === 0 ? 0 : (out[at - length] as number);
      const corner = x < bytes || line === 0 ? 0 : (out[at - length - bytes] as number);
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] as number;
      out[at] = (lines[line * (length + 1) + 1 + x] as number) + predicted;
    }
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

/** Return the palette: the colours of large areas, and the best fitting ones for the rest. */
function paletteOf(counts: ReadonlyMap<number, number>): number[] {
  const pixels = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const large = [...counts].filter(([, count]) => count >= pixels * MIN_KEPT_SHARE).map(([c]) => c);
  const rest = new Map([...counts].filter(([colour]) => !large.includes(colour)));
  return [...large, ...fitting(rest, MAX_COLOURS - large.length)];
}

/** Return at most `limit` colours that represent others, by median cut and then k-means. */
function fitting(counts: ReadonlyMap<number, number>, limit: number): number[] {
  // Square roots give large areas more colours, but not in proportion.
  const weights = new Map([...counts].map(([colour, count]) => [colour, Math.sqrt(count)]));
  let boxes = [boxOf([...weights.keys()], weights)];
  while (boxes.length < limit) {
    const widest = boxes.reduce((a, b) => (b.worth > a.worth ? b : a));
    if (widest.colours.length < 2) break;
    boxes = boxes.filter((box) => box !== widest).concat(halves(widest, weights));
  }
  let palette = boxes.map(({ colours }) => meanOf(colours, weights));
  for (let round = 0; round < ROUNDS; round++) {
    const groups: number[][] = palette.map(() => []);
    for (const colour of weights.keys()) groups[nearestIn(palette, colour)]?.push(colour);
    palette = palette.map((old, nth) => {
      const group = groups[nth] as number[];
      return group.length > 0 ? meanOf(group, weights) : old;
    });
  }
  return palette;
}

interface Box {
  readonly colours: readonly number[];
  /** The shift of the channel (red, green or blue) with the largest range. */
  readonly shift: number;
  readonly worth: number;
}

function boxOf(colours: readonly number[], weights: ReadonlyMap<number, number>): Box {
  const ranges = SHIFTS.map((shift) => {
    const values = colours.map((colour) => channel(colour, shift));
    const least = values.reduce((a, b) => Math.min(a, b));
    return { shift, range: values.reduce((a, b) => Math.max(a, b)) - least };
  });
  const { shift, range } = ranges.reduce((a, b) => (b.range > a.range ? b : a));
  return { colours, shift, worth: range * Math.sqrt(total(colours, weights)) };
}

function halves({ colours, shift }: Box, weights: ReadonlyMap<number, number>): Box[] {
  const sorted = [...colours].sort((a, b) => channel(a, shift) - channel(b, shift));
  const half = total(colours, weights) / 2;
  let sum = 0;
  const found = sorted.findIndex((colour) => (sum += weights.get(colour) ?? 0) >= half);
  const cut = Math.min(Math.max(found, 1), sorted.length - 1);
  return [boxOf(sorted.slice(0, cut), weights), boxOf(sorted.slice(cut), weights)];
}

function total(colours: readonly number[], weights: ReadonlyMap<number, number>): number {
  return colours.reduce((sum, colour) => sum + (weights.get(colour) ?? 0), 0);
}

function meanOf(colours: readonly number[], weights: ReadonlyMap<number, number>): number {
  const sum = total(colours, weights);
  return SHIFTS.reduce((found, shift) => {
    const all = colours.reduce((at, c) => at + channel(c, shift) * (weights.get(c) ?? 0), 0);
    return found + (Math.round(all / sum) << shift);
  }, 0);
}

function nearestIn(palette: readonly number[], colour: number): number {
  let [best, least] = [0, Infinity];
  palette.forEach((each, nth) => {
    const distance = SHIFTS.reduce(
      (d, by) => d + (channel(each, by) - channel(colour, by)) ** 2,
      0,
    );
    if (distance < least) [best, least] = [nth, distance];
  });
  return best;
}

function channel(colour: number, shift: number): number {
  return (colour >> shift) & 0xff;
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), body]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
