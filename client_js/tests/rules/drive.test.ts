/** The driver as a process. */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("the driver loses no answer, however slowly its output is read", { timeout: 30_000 }, () => {
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

test("the driver answers each line on standard output, including a last one without a newline", () => {
  const { stdout, status } = spawnSync("npm", ["run", "--silent", "driver"], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    input: `{"op":"new","game":"robert","seed":"${"5".repeat(64)}"}\n\n{"op":"move","move":"s>w"}\nnonsense`,
    encoding: "utf8",
  });
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(answers.map((answer) => answer.moves ?? answer.error.code)).toEqual([0, 1, "bad_request"]);
  expect(status).toBe(0);
});
