/** The driver as a process. */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("the driver loses no answer, however far its reader is behind", { timeout: 30_000 }, () => {
  const asked = 20_000;
  const { stdout } = spawnSync("npm", ["run", "--silent", "driver"], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    input:
      `{"op":"new","game":"roosevelt","seed":"${"5".repeat(64)}"}\n` +
      '{"op":"position"}\n'.repeat(asked),
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const lines = stdout.trim().split("\n");
  expect(lines).toHaveLength(asked + 1);
  expect(new Set(lines).size).toBe(1);
});
