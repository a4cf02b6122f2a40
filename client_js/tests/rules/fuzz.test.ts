/**
 * The driver under requests that are nearly right: it never throws, an error leaves the position as
 * it was, and the server's engine answers the same, or refuses by the same code.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { games } from "../../src/rules/catalog.ts";
import { Driver, MAX_LINE_LENGTH } from "../../src/rules/driver.ts";
import { PythonEngine, dice, diceSeed } from "./engine.ts";

const ROUNDS = 40;
const LINES = 40;

type Roll = (limit: number) => number;
type Json = any;

let engine: PythonEngine;
beforeAll(() => {
  engine = new PythonEngine();
});
afterAll(() => engine.end());

const variants = games.flatMap((game) =>
  game.variants.map((variant) => ({ game: game.id, variant: variant.id })),
);
const pick = <T>(roll: Roll, items: readonly T[]): T => items[roll(items.length)] as T;

/** What may stand in the place of any value of a request. */
const VALUES: readonly Json[] = [
  ...[
    null,
    true,
    false,
    0,
    -0,
    1,
    2,
    1.5,
    -1,
    1e6,
    1e21,
    1e-7,
    "",
    " ",
    "0",
    "?",
    "??",
    "AS",
    "?KC",
  ],
  ...[
    "TH",
    "t0",
    "f0",
    "s",
    "w",
    "s>w",
    "s>t",
    "w>s",
    "t0>t1x2",
    "__proto__",
    "constructor",
    "\ud800",
  ],
  ...[
    "games",
    "new",
    "load",
    "move",
    "position",
    "legal",
    "standard",
    "strict",
    "fill",
    "é",
    "𝄞",
    "\0",
  ],
  ...[[], {}, [[]], [null], ["AS"], { game: "robert" }, "0".repeat(64), "f".repeat(63)],
];
const KEYS = [
  "op",
  "game",
  "variant",
  "deck",
  "seed",
  "position",
  "move",
  "piles",
  "redeals",
].concat(["moves", "won", "stuck", "t0", "f0", "s", "w", "t99", "", "toString", "length"]);
const CHARACTERS = [...'{}[]":,0123456789-+.eE\\u>xtfsw? \tAKH\u00e9\u{1d11e}\u0000\ufeff\u2028'];

/** The value with one place in it changed, and often another one. */
function mutated(roll: Roll, value: Json): Json {
  if (Array.isArray(value) && value.length > 0 && roll(8) > 0) {
    const copy = [...value];
    const at = roll(copy.length);
    const change = roll(5);
    if (change === 0) copy.splice(at, 1);
    else if (change === 1) copy.splice(at, 0, pick(roll, copy));
    else if (change === 2) [copy[at], copy[0]] = [copy[0], copy[at]];
    else copy[at] = mutated(roll, copy[at]);
    return copy;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value) && roll(8) > 0) {
    const entries = Object.entries(value);
    const at = roll(entries.length + 1);
    const [key, inner] = entries[at] ?? [pick(roll, KEYS), pick(roll, VALUES)];
    const change = roll(6);
    if (change === 0) entries.splice(at, 1);
    else if (change === 1) entries[at] = [pick(roll, KEYS), inner];
    else entries[at] = [key, mutated(roll, inner)];
    return Object.fromEntries(entries);
  }
  if (typeof value === "number" && roll(2) === 0) return value + pick(roll, [1, -1, 0.5, 2 ** 53]);
  if (typeof value === "string" && roll(2) === 0) return scrambled(roll, value);
  return pick(roll, VALUES);
}

/** The text with a character or two taken out, put in or exchanged. */
function scrambled(roll: Roll, text: string): string {
  const characters = [...text];
  for (let left = roll(2); left >= 0; left--) {
    const put = roll(3) === 0 ? [] : [pick(roll, CHARACTERS)];
    characters.splice(roll(characters.length + 1), roll(2), ...put);
  }
  return characters.join("");
}

/** A request that is right, or was before it was changed. */
function requested(roll: Roll, position: Json, moves: readonly string[]): string {
  const { game, variant } = position;
  const piles: string[][] = Object.values(position.piles);
  const deck = piles.flat().map((card) => card.replace("?", ""));
  const right = pick<Json>(roll, [
    { op: "games" },
    { op: "position" },
    { op: "legal" },
    { op: "new", game, variant, seed: diceSeed(roll) },
    { op: "new", game, deck },
    { op: "load", position },
    { op: "load", position },
    { op: "move", move: moves.length > 0 ? pick(roll, moves) : "s>w" },
    { op: "move", move: moves.length > 0 ? pick(roll, moves) : "s>w" },
  ]);
  let request = right;
  for (let left = roll(4); left > 0; left--) request = mutated(roll, request);
  const line = JSON.stringify(request);
  const spelt = roll(3) === 0 ? line.replace(/:(\d+)([,}])/g, ":$1.0$2") : line;
  const sent = roll(6) === 0 ? scrambled(roll, spelt) : spelt;
  return sent.trim() === "" ? "?" : sent; // A blank line is no request, and has no answer.
}

/** An answer as far as the two must agree: of an error the code, and that there is a sentence. */
function essence(answer: Json): Json {
  if (!("error" in answer)) return answer;
  expect(Object.keys(answer)).toEqual(["error"]);
  expect(answer.error.message).toBeTypeOf("string");
  return { code: answer.error.code };
}

describe.each(variants)("$game $variant", ({ game, variant }) => {
  test(`${ROUNDS * LINES} requests, most of them wrong`, async () => {
    const roll = dice(game.length * 31 + variant.length);
    const driver = new Driver();
    const both = async (line: string): Promise<Json> => {
      const ours: Json = driver.answer(line);
      expect(essence(ours), line).toEqual(essence(await engine.answer(line)));
      return ours;
    };
    for (let round = 0; round < ROUNDS; round++) {
      let position = await both(JSON.stringify({ op: "new", game, variant, seed: diceSeed(roll) }));
      for (let left = LINES; left > 0; left--) {
        const { moves } = await both('{"op":"legal"}');
        const line = requested(roll, position, moves);
        const refused = "error" in (await both(line));
        const after = await both('{"op":"position"}');
        if (refused) expect(after, line).toEqual(position);
        position = after;
      }
    }
  }, 60_000);
});

test("no text throws, whatever it holds", () => {
  const roll = dice(5);
  const driver = new Driver();
  for (let left = 20_000; left > 0; left--) {
    const units = Array.from({ length: roll(60) }, () =>
      roll(4) === 0 ? roll(0x10000) : pick(roll, CHARACTERS).charCodeAt(0),
    );
    expect(JSON.stringify(driver.answer(String.fromCharCode(...units)))).not.toContain("\n");
  }
});

const asked = '{"op":"games"}';
test.each([
  ["as long as may be", asked.padEnd(MAX_LINE_LENGTH)],
  ["one character too long", asked.padEnd(MAX_LINE_LENGTH + 1)],
  ["of as many characters as may be, of two units each", "𝄞".repeat(MAX_LINE_LENGTH - 1) + "x"],
  ["of one character more", "𝄞".repeat(MAX_LINE_LENGTH + 1)],
  ["of what only looks blank", "\u3000"],
  ["of a mark of the order of bytes", "\ufeff"],
  ["of a separator that is no blank", "\x1c"],
  [
    "with a number of very many digits",
    `{"op":"load","position":{"game":"robert","moves":1${"0".repeat(5000)}}}`,
  ],
])("both answer alike to a line %s", async (_, line) => {
  const theirs = await engine.answer(line);
  expect(essence(new Driver().answer(line))).toEqual(essence(theirs));
});
