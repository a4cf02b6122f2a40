/** These rules and the engine's, move by move: same deals, same legal moves, same errors. */

import { describe, expect, test } from "vitest";
import { Driver, MAX_LINE_LENGTH } from "../../src/rules/driver.ts";
import { Compared, VARIANTS, engine, randomSeed, seededRandom, withEngine } from "./engine.ts";

/** The first moves of one game per variant; `lockstepMany.deep.test.ts` plays many to the end. */
const MAX_MOVES = 80;

withEngine();

describe.each(VARIANTS)("$game $variant", ({ game, variant }) => {
  test("a game", async () => {
    const random = seededRandom(1);
    const compared = new Compared();
    const ask = (request: object): any => compared.answer(JSON.stringify(request));
    let position = ask({ op: "new", game, variant, seed: randomSeed(random) });
    while (position.moves < MAX_MOVES) {
      const { moves } = ask({ op: "legal" });
      ask({ op: "hint" });
      if (moves.length === 0) break;
      // Prefer moves that do not deal: dealing is nearly always legal.
      const quiet = moves.filter((move: string) => !move.startsWith("s"));
      const from = quiet.length > 0 && random(4) > 0 ? quiet : moves;
      position = ask({ op: "move", move: from[random(from.length)] });
    }
    ask({ op: "load", position });
    const [ours, theirs] = await compared.different();
    expect(ours).toEqual(theirs);
  });
});

/** Return the code with which the engine refuses a request, as part of an answer. */
async function refusalOf(line: string): Promise<object> {
  const { error } = await engine.answer(line);
  expect(error.code).toBeTypeOf("string");
  return { error: { code: error.code } };
}

const noCards = { game: "robert", piles: { f0: [] } };

test.each([
  ["no JSON", "{"],
  ["not an object", "[]"],
  ["NaN", '{"op": NaN}'],
  ["an overlong line", `{"op": "${"x".repeat(MAX_LINE_LENGTH)}"}`],
  ["no op", "{}"],
  ["an op that is a property of every object", '{"op": "constructor"}'],
  ["an unknown op", '{"op": "undo"}'],
  ["an unknown field", '{"op": "legal", "game": "robert"}'],
  ["a field that is a property of every object", '{"op": "legal", "__proto__": 1}'],
  ["an unknown game", '{"op": "new", "game": "no-such-game", "deck": []}'],
  ["a game that is a property of every object", '{"op": "new", "game": "constructor", "deck": []}'],
  ["an unknown variant", '{"op": "new", "game": "robert", "variant": "x", "deck": []}'],
  ["a null variant", '{"op": "new", "game": "robert", "variant": null, "deck": []}'],
  ["neither deck nor seed", '{"op": "new", "game": "robert"}'],
  ["deck and seed", '{"op": "new", "game": "robert", "deck": [], "seed": ""}'],
  ["a short seed", '{"op": "new", "game": "robert", "seed": "00"}'],
  ["a seed in capitals", `{"op": "new", "game": "robert", "seed": "${"A".repeat(64)}"}`],
  ["a deck that is not a list", '{"op": "new", "game": "robert", "deck": "TH"}'],
  ["a deck with a hole", '{"op": "new", "game": "robert", "deck": [null]}'],
  ["an empty deck", '{"op": "new", "game": "robert", "deck": []}'],
  ["an invalid card", '{"op": "new", "game": "robert", "deck": ["1S"]}'],
  ["a card face down in a deck", '{"op": "new", "game": "robert", "deck": ["?TH"]}'],
  ["an unseen card", '{"op": "new", "game": "robert", "deck": ["??"]}'],
  ["no position", '{"op": "load"}'],
  ["an unknown key of a position", '{"op": "load", "position": {"game": "robert", "x": 1}}'],
  ["a position without a game", '{"op": "load", "position": {}}'],
  ["a position without piles", '{"op": "load", "position": {"game": "robert"}}'],
  [
    "a pile that is not there",
    '{"op": "load", "position": {"game": "robert", "piles": {"t0": []}}}',
  ],
  [
    "a pile that is no list",
    '{"op": "load", "position": {"game": "robert", "piles": {"w": "TH"}}}',
  ],
  ["no cards", JSON.stringify({ op: "load", position: noCards })],
  ["a null count", JSON.stringify({ op: "load", position: { ...noCards, moves: null } })],
  ["too many redeals", JSON.stringify({ op: "load", position: { ...noCards, redeals: 3 } })],
  ["a negative count", JSON.stringify({ op: "load", position: { ...noCards, moves: -1 } })],
])("both reject %s", async (_, line) => {
  expect(new Driver().answer(line)).toMatchObject(await refusalOf(line));
});

/** Invalid positions of Rouge et Noir, whose columns contain face-down cards. */
const corruptions: [string, (piles: Record<string, string[]>, position: any) => void][] = [
  ["a stock face up", (piles) => (piles.s![0] = piles.s![0]!.slice(1))],
  ["a column face down", (piles) => (piles.t0![8] = `?${piles.t0![8]}`)],
  ["a card not turned up when the one on it left", (piles) => piles.t9!.push(piles.t0!.pop()!)],
  ["a face-up card under one face down", (piles) => (piles.t0![0] = piles.t0![0]!.slice(1))],
  ["a card twice", (piles) => (piles.s![0] = piles.s![1]!)],
  [
    "a stock whose size no number of dealt rows leaves",
    (piles) => piles.t9!.push(piles.s!.pop()!.slice(1)),
  ],
  ["a card on a foundation of runs", (piles) => piles.f4!.push(piles.t8!.pop()!)],
  ["won", (_, position) => (position.won = true)],
  ["stuck", (_, position) => (position.stuck = null)],
  ["a redeal", (_, position) => (position.redeals = 1)],
];

test.each(corruptions)("both reject a position with %s", async (_, corrupt) => {
  const start = JSON.stringify({ op: "new", game: "rouge-et-noir", seed: "7".repeat(64) });
  const position = await engine.answer(start);
  corrupt(position.piles, position);
  const line = JSON.stringify({ op: "load", position });
  expect(new Driver().answer(line)).toMatchObject(await refusalOf(line));
});

test.each(["t0>t0", "s>f0", "s>t", "w>s", "q0>f0", "f9>f0", "t0>t1x1", "t0>t1x99", "", "s>s>s"])(
  "both reject the move %j, and keep the position",
  async (move) => {
    const driver = new Driver();
    const start = JSON.stringify({ op: "new", game: "roosevelt", seed: "5".repeat(64) });
    const position = await engine.answer(start);
    driver.answer(start);
    const line = JSON.stringify({ op: "move", move });
    expect(driver.answer(line)).toMatchObject(await refusalOf(line));
    expect(driver.answer('{"op": "position"}')).toEqual(position);
  },
);
