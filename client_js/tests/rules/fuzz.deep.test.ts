/**
 * Fuzzing the driver with mutated requests: it never throws, an error leaves the position
 * unchanged, and the Python engine gives the same answer, or an error with the same code.
 */

import { describe, expect, test } from "vitest";
import { Driver, MAX_LINE_LENGTH } from "../../src/rules/driver.ts";
import { Compared, VARIANTS, engine, randomSeed, seededRandom, withEngine } from "./engine.ts";

const ROUNDS = 16;
const LINES = 40;

type Random = (limit: number) => number;
type Json = any;

withEngine();

const pick = <T>(random: Random, items: readonly T[]): T => items[random(items.length)] as T;

const VALUES: readonly Json[] = [
  ...JSON.parse("[null, true, false, 0, -0, 1, 2, 1.5, -1, 1e6, 1e21, 1e-7]"),
  ...["", " ", "\ud800", "é", "𝄞", "\0"],
  ..."0 ? ?? AS ?KC TH t0 f0 s w s>w s>t w>s t0>t1x2 __proto__ constructor".split(" "),
  ..."games new load move position legal standard strict fill".split(" "),
  ...[[], {}, [[]], [null], ["AS"], { game: "robert" }, "0".repeat(64), "f".repeat(63)],
];
const KEYS = [
  ..."op game variant deck seed position move piles redeals moves won stuck".split(" "),
  ...["t0", "f0", "s", "w", "t99", "", "toString", "length"],
];
const CHARACTERS = [...'{}[]":,0123456789-+.eE\\u>xtfsw? \tAKH\u00e9\u{1d11e}\u0000\ufeff\u2028'];

function mutated(random: Random, value: Json): Json {
  if (Array.isArray(value) && value.length > 0 && random(8) > 0) {
    const copy = [...value];
    const at = random(copy.length);
    const change = random(5);
    if (change === 0) copy.splice(at, 1);
    else if (change === 1) copy.splice(at, 0, pick(random, copy));
    else if (change === 2) [copy[at], copy[0]] = [copy[0], copy[at]];
    else copy[at] = mutated(random, copy[at]);
    return copy;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value) && random(8) > 0) {
    const entries = Object.entries(value);
    const at = random(entries.length + 1);
    const [key, inner] = entries[at] ?? [pick(random, KEYS), pick(random, VALUES)];
    const change = random(6);
    if (change === 0) entries.splice(at, 1);
    else if (change === 1) entries[at] = [pick(random, KEYS), inner];
    else entries[at] = [key, mutated(random, inner)];
    return Object.fromEntries(entries);
  }
  if (typeof value === "number" && random(2) === 0)
    return value + pick(random, [1, -1, 0.5, 2 ** 53]);
  if (typeof value === "string" && random(2) === 0) return withTypos(random, value);
  return pick(random, VALUES);
}

/** Return the text with one or two characters removed, inserted or replaced. */
function withTypos(random: Random, text: string): string {
  const characters = [...text];
  for (let left = random(2); left >= 0; left--) {
    const put = random(3) === 0 ? [] : [pick(random, CHARACTERS)];
    characters.splice(random(characters.length + 1), random(2), ...put);
  }
  return characters.join("");
}

function randomRequest(random: Random, position: Json, moves: readonly string[]): string {
  const { game, variant } = position;
  const piles: string[][] = Object.values(position.piles);
  const deck = piles.flat().map((card) => card.replace("?", ""));
  const right = pick<Json>(random, [
    { op: "games" },
    { op: "position" },
    { op: "legal" },
    { op: "new", game, variant, seed: randomSeed(random) },
    { op: "new", game, deck },
    { op: "load", position },
    { op: "load", position },
    { op: "move", move: moves.length > 0 ? pick(random, moves) : "s>w" },
    { op: "move", move: moves.length > 0 ? pick(random, moves) : "s>w" },
  ]);
  let request = right;
  for (let left = random(4); left > 0; left--) request = mutated(random, request);
  const line = JSON.stringify(request);
  const spelled = random(3) === 0 ? line.replace(/:(\d+)([,}])/g, ":$1.0$2") : line;
  const sent = random(6) === 0 ? withTypos(random, spelled) : spelled;
  return sent.trim() === "" ? "?" : sent; // A blank line gets no answer.
}

/** Return the comparable part of an answer: for an error, only the code. */
function comparable(answer: Json): Json {
  if (!("error" in answer)) return answer;
  expect(Object.keys(answer)).toEqual(["error"]);
  expect(answer.error.message).toBeTypeOf("string");
  return { code: answer.error.code };
}

describe.each(VARIANTS)("$game $variant", ({ game, variant }) => {
  test(`${ROUNDS * LINES} requests, most of them invalid`, async () => {
    const random = seededRandom(game.length * 31 + variant.length);
    const both = new Compared();
    const ask = (line: string): Json => {
      const answer = both.answer(line);
      comparable(answer); // Compared even where the engine's answer is the same.
      return answer;
    };
    for (let round = 0; round < ROUNDS; round++) {
      let position = ask(JSON.stringify({ op: "new", game, variant, seed: randomSeed(random) }));
      for (let left = LINES; left > 0; left--) {
        const { moves } = ask('{"op":"legal"}');
        const line = randomRequest(random, position, moves);
        const refused = "error" in ask(line);
        const after = ask('{"op":"position"}');
        if (refused) expect(after, line).toEqual(position);
        position = after;
      }
      const [ours, theirs] = await both.different(comparable);
      expect(ours).toEqual(theirs);
    }
  }, 60_000);
});

test("no text makes the driver throw", () => {
  const random = seededRandom(5);
  const driver = new Driver();
  for (let left = 20_000; left > 0; left--) {
    const units = Array.from({ length: random(60) }, () =>
      random(4) === 0 ? random(0x10000) : pick(random, CHARACTERS).charCodeAt(0),
    );
    expect(JSON.stringify(driver.answer(String.fromCharCode(...units)))).not.toContain("\n");
  }
});

const asked = '{"op":"games"}';
test.each([
  ["of the maximum length", asked.padEnd(MAX_LINE_LENGTH)],
  ["one character too long", asked.padEnd(MAX_LINE_LENGTH + 1)],
  ["of the maximum length, in characters of two code units", "𝄞".repeat(MAX_LINE_LENGTH - 1) + "x"],
  ["one character longer than that", "𝄞".repeat(MAX_LINE_LENGTH + 1)],
  ["of a space that is not ASCII", "\u3000"],
  ["of a byte order mark", "\ufeff"],
  ["of a file separator", "\x1c"],
  [
    "with a number of 5,001 digits",
    `{"op":"load","position":{"game":"robert","moves":1${"0".repeat(5000)}}}`,
  ],
])("both give the same answer to a line %s", async (_, line) => {
  const theirs = await engine.answer(line);
  expect(comparable(new Driver().answer(line))).toEqual(comparable(theirs));
});
