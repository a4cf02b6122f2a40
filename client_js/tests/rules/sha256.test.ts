import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256Of } from "../../src/rules/sha256.ts";

test("it is SHA-256, of texts of all lengths around a block's", () => {
  for (let length = 0; length < 200; length++) {
    for (const text of ["x".repeat(length), "é\0".repeat(length)]) {
      expect(sha256Of(text)).toBe(createHash("sha256").update(text).digest("hex"));
    }
  }
});
