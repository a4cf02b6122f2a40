/** The page's MessagePack implementation, compared with a complete library. */

import { decode, encode } from "@msgpack/msgpack";
import { describe, expect, it } from "vitest";
import { pack, unpack } from "../src/packed.ts";

const POWERS = [0, 5, 7, 8, 15, 16, 31, 32, 40, 53];
const EDGES = POWERS.flatMap((power) => [
  2 ** power - 1,
  2 ** power,
  -(2 ** power),
  -(2 ** power) - 1,
]);
const NUMBERS = [...EDGES.filter(Number.isSafeInteger), 0.5, -1e300, 2 ** 60, Infinity];
const LENGTHS = [0, 1, 15, 16, 31, 32, 255, 256, 65_535, 65_536];

const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  ...NUMBERS,
  ...LENGTHS.map((length) => "x".repeat(length)),
  ...LENGTHS.map((length) => new Uint8Array(length).fill(7)),
  ...LENGTHS.map((length) => Array<number>(length).fill(1)),
  ...LENGTHS.slice(0, -2).map((length) =>
    Object.fromEntries(Array.from({ length }, (_, nth) => [`k${nth}`, nth])),
  ),
  "\ufeffé😀\u2068",
  [[], [null, [{ a: [1, -1, "two", { b: null }] }]]],
];

describe("packed values", () => {
  it("can be read by others, and read from others", () => {
    for (const value of VALUES) {
      expect(decode(pack(value))).toEqual(value);
      expect(unpack(encode(value))).toEqual(value);
    }
    expect(unpack(encode([1.5], { forceFloat32: true }))).toEqual([1.5]);
    expect(unpack(Uint8Array.of(0xd0, 0x80))).toBe(-128);
    expect(unpack(Uint8Array.of(0xd1, 0x80, 0))).toBe(-32_768);
  });

  it("are as short as possible, except for a few numbers", () => {
    for (const value of VALUES) {
      if (typeof value === "number" && (value < -32 || value >= 2 ** 32)) continue;
      expect(pack(value)).toEqual(encode(value));
    }
  });

  it("have null for undefined", () => {
    expect(unpack(pack([undefined, 1]))).toEqual([null, 1]);
  });

  it("are refused if truncated, followed by more, or of an unknown kind", () => {
    const whole = pack([1000, "text", [1.5, { key: 70_000 }], -5, new Uint8Array(3)]);
    for (let length = 0; length < whole.length; length++) {
      expect(() => unpack(whole.subarray(0, length))).toThrow(RangeError);
    }
    expect(() => unpack(Uint8Array.of(...whole, 0))).toThrow(RangeError);
    for (const tag of [0xc1, 0xc7, 0xd4]) {
      expect(() => unpack(Uint8Array.of(tag, 0, 0, 0))).toThrow(RangeError);
    }
    // A list with a declared length that exceeds memory.
    expect(() => unpack(Uint8Array.of(0xdd, 255, 255, 255, 255))).toThrow(RangeError);
    expect(() => unpack(Uint8Array.of(0x81, 1, 1))).toThrow(RangeError);
    expect(() => pack(() => 1)).toThrow(RangeError);
  });
});
