/** Verifying a closed deal. */

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { viewOf } from "../../src/rules/board.ts";
import { games } from "../../src/rules/catalog.ts";
import { positionOf } from "../../src/rules/position.ts";
import { verify } from "../../src/rules/verify.ts";
import { Dealer } from "../dealer.ts";
import { PythonEngine } from "./engine.ts";

const seed = "00112233445566778899aabbccddeeff".repeat(2);
const deal = "rw4kq8d2n6vx1zt7";
const committed = createHash("sha256")
  .update(`samedeal commitment 1\0${deal}\0`)
  .update(Buffer.from(seed, "hex"))
  .digest("hex");
const open = { deal, game: "lady-betty", variant: "standard", commitment: committed, seed };

test("the committed seed agrees, and deals the board that was played", async () => {
  const found = verify(open);
  expect(found.agrees).toBe(true);
  const engine = new PythonEngine();
  const theirs = await engine.answer(JSON.stringify({ op: "new", game: open.game, seed }));
  engine.end();
  expect(positionOf(found.board)).toEqual(theirs);
});

test.each(games.map(({ id }) => id))("for %s, it deals the attempt's initial board", (game) => {
  const { board } = verify({ ...open, game });
  const { piles } = new Dealer(game, seed).snapshot();
  expect(viewOf(board).piles).toEqual(piles.map((pile) => [...pile]));
});

test("a deal is verified by the rules that it names", () => {
  const { ruleset } = verify(open).board;
  expect(verify({ ...open, rules: ruleset.digest }).board.ruleset).toBe(ruleset);
});

test("another seed, and the same seed with another deal's id, do not agree", () => {
  expect(verify({ ...open, seed: seed.replace("0", "1") }).agrees).toBe(false);
  expect(verify({ ...open, deal: "rw4kq8d2n6vx1zt8" }).agrees).toBe(false);
});

test("a commitment that differs in any digit does not agree, and the right one is returned", () => {
  for (let at = 0; at < committed.length; at++) {
    const digit = committed[at] === "0" ? "1" : "0";
    const commitment = committed.slice(0, at) + digit + committed.slice(at + 1);
    expect(verify({ ...open, commitment })).toMatchObject({ agrees: false, commitment: committed });
  }
  expect(verify({ ...open, commitment: "" }).agrees).toBe(false);
});

test.each([
  ["bad_seed", { seed: "00" }],
  ["unknown_game", { game: "no-such-game" }],
  ["unknown_variant", { variant: "fill" }],
  ["unknown_rules", { rules: "0".repeat(16) }],
])("it throws %s", (code, change) => {
  expect(() => verify({ ...open, ...change })).toThrow(expect.objectContaining({ code }));
});
