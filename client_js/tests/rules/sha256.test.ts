import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import {
  bytesToHex,
  concatBytes,
  hexToBytes,
  sha256,
  utf8ToBytes,
} from "../../src/rules/sha256.ts";

test("it is SHA-256, for texts of all lengths around a block's", () => {
  for (let length = 0; length < 200; length++) {
    for (const text of ["x".repeat(length), "é\0".repeat(length)]) {
      expect(bytesToHex(sha256(utf8ToBytes(text)))).toBe(
        createHash("sha256").update(text).digest("hex"),
      );
    }
  }
});

test("bytes are written in hexadecimal, read again, and joined", () => {
  const bytes = Uint8Array.from([0, 9, 16, 255]);
  expect(bytesToHex(bytes)).toBe("000910ff");
  expect(hexToBytes("000910ff")).toEqual(bytes);
  expect(concatBytes(bytes, hexToBytes(""), bytes.slice(3))).toEqual(hexToBytes("000910ffff"));
});
