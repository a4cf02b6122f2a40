/**
 * The hash function of digests, by published test vectors; `tests/play/core/test_digest.py` has the
 * same.
 */

import { expect, test } from "vitest";
import { fnv1a } from "../src/digest.ts";

test.each([
  ["", 0x811c9dc5],
  ["a", 0xe40c292c],
  ["foobar", 0xbf9cf968],
  ["chongo was here!\n", 0xd49930d5],
])("the FNV-1a hash of %j", (text, hash) => {
  expect(fnv1a(text)).toBe(hash);
});
