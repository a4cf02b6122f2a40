/** Checking a closed deal, and the driver as a process. */

import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { viewOf } from "../../src/rules/board.ts";
import { games } from "../../src/rules/catalog.ts";
import { positionOf } from "../../src/rules/position.ts";
import { verify } from "../../src/rules/verify.ts";
import { Dealer } from "../dealer.ts";
import { PythonEngine } from "./engine.ts";

const seed = "00112233445566778899aabbccddeeff".repeat(2);
const deal = "rw4kq8d2n6vx1zt7";
const promised = createHash("sha256")
  .update(`samedeal commitment 1\0${deal}\0`)
  .update(Buffer.from(seed, "hex"))
  .digest("hex");
const open = { deal, game: "lady-betty", variant: "standard", commitment: promised, seed };

test("the promised seed agrees, and shows the board that was played", async () => {
  const found = verify(open);
  expect(found.agrees).toBe(true);
  const engine = new PythonEngine();
  const theirs = await engine.answer(JSON.stringify({ op: "new", game: open.game, seed }));
  engine.end();
  expect(positionOf(found.board)).toEqual(theirs);
});

test.each(games.map(({ id }) => id))("of %s it shows what the attempt began with", (game) => {
  const { board } = verify({ ...open, game });
  const { piles } = new Dealer(game, seed).snapshot();
  expect(viewOf(board).piles).toEqual(piles.map((pile) => [...pile]));
});

test("it is dealt by the rules that it names", () => {
  const { ruleset } = verify(open).board;
  for (const rules of [ruleset.digest, null]) {
    expect(verify({ ...open, rules }).board.ruleset).toBe(ruleset);
  }
});

test("another seed, and the same seed under another deal's name, do not agree", () => {
  expect(verify({ ...open, seed: seed.replace("0", "1") }).agrees).toBe(false);
  expect(verify({ ...open, deal: "rw4kq8d2n6vx1zt8" }).agrees).toBe(false);
});

test("a promise that differs anywhere is not kept, and the true commitment is told", () => {
  for (let at = 0; at < promised.length; at++) {
    const digit = promised[at] === "0" ? "1" : "0";
    const commitment = promised.slice(0, at) + digit + promised.slice(at + 1);
    expect(verify({ ...open, commitment })).toMatchObject({ agrees: false, commitment: promised });
  }
  expect(verify({ ...open, commitment: "" }).agrees).toBe(false);
});

test.each([
  ["bad_seed", { seed: "00" }],
  ["unknown_game", { game: "no-such-game" }],
  ["unknown_variant", { variant: "fill" }],
  ["unknown_rules", { rules: "0".repeat(16) }],
])("%s is said", (code, change) => {
  expect(() => verify({ ...open, ...change })).toThrow(expect.objectContaining({ code }));
});

test("the driver answers each line on standard output, the last one without a line's end too", () => {
  const { stdout, status } = spawnSync("npm", ["run", "--silent", "driver"], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    input: `{"op":"new","game":"robert","seed":"${seed}"}\n\n{"op":"move","move":"s>w"}\nnonsense`,
    encoding: "utf8",
  });
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(answers.map((answer) => answer.moves ?? answer.error.code)).toEqual([0, 1, "bad_request"]);
  expect(status).toBe(0);
});
