/**
 * Hundreds of random games, played by these rules and by the Python engine, with no difference.
 *
 * The moves are chosen here; then the engine gets the same lines, many games in one write, and its
 * answers are compared. LOCKSTEP_SEED=N plays other games.
 */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { findRuleset } from "../../src/rules/catalog.ts";
import { Driver } from "../../src/rules/driver.ts";
import type { Position } from "../../src/rules/position.ts";
import { VARIANTS, engine, randomSeed, seededRandom, withEngine } from "./engine.ts";

const GAMES_EACH = 48;
const BATCH = 24;
const MAX_MOVES = 40;
const MAX_MOVES_OF_LONG_GAMES = 250;
const LONG_GAME_EVERY = 24;
const SEED = Number(process.env.LOCKSTEP_SEED ?? 1);

interface Golden {
  readonly game: string;
  readonly variant: string;
  readonly deck?: string[];
}
const replays: Golden[] = JSON.parse(
  readFileSync(new URL("../../../tests/vectors/replays.json", import.meta.url), "utf8"),
);

withEngine();

interface Game {
  readonly seed: number;
  readonly lines: string[];
  readonly answers: string[];
  readonly end: Position;
}

/** A random game: the requests to the driver, and its answers. */
function played(game: string, variant: string, nth: number): Game {
  const seed = SEED * 1_000_000 + nth;
  const random = seededRandom(seed);
  const driver = new Driver();
  const lines: string[] = [];
  const answers: string[] = [];
  const ask = (request: object): any => {
    lines.push(JSON.stringify(request));
    const answer = driver.answer(lines.at(-1)!);
    answers.push(JSON.stringify(answer));
    return answer;
  };
  const long = nth % LONG_GAME_EVERY === 0;
  // In every sixth game, including a long one, hints are compared as well.
  const hinted = nth % 6 === 0;
  const most = long ? MAX_MOVES_OF_LONG_GAMES : MAX_MOVES;
  // Every other long game is dealt from a deck that is easily won.
  const easy = nth % (2 * LONG_GAME_EVERY) === 0;
  const homePercent = easy ? 100 : random(4) * 25;
  let position: Position = ask({ op: "new", game, variant, ...dealt(game, variant, easy, random) });
  while (position.moves < most) {
    const { moves }: { moves: string[] } = ask({ op: "legal" });
    if (hinted) ask({ op: "hint" });
    if (moves.length === 0) break;
    const home = moves.filter((move) => move.includes(">f"));
    const quiet = moves.filter((move) => !move.startsWith("s"));
    const dealing = moves.filter((move) => move.startsWith("s"));
    const choice = random(100);
    const from =
      [choice < homePercent && home, easy ? dealing : choice % 4 > 0 && quiet, moves].find(
        (some) => some && some.length > 0,
      ) || moves;
    position = ask({ op: "move", move: from[random(from.length)]! });
  }
  ask({ op: "load", position });
  return { seed, lines, answers, end: position };
}

/** Return a random seed, or a deck of the golden games, half of them with two cards swapped. */
function dealt(game: string, variant: string, easy: boolean, random: (limit: number) => number) {
  if (!easy) return { seed: randomSeed(random) };
  const golden = replays.find((it) => it.game === game && it.variant === variant && it.deck);
  const deck = [...golden!.deck!];
  if (random(2) > 0) {
    const [one, other] = [random(deck.length), random(deck.length)];
    [deck[one], deck[other]] = [deck[other]!, deck[one]!];
  }
  return { deck };
}

test.each(VARIANTS)(
  `${GAMES_EACH} games of $game $variant are the same in both`,
  { timeout: 120_000 },
  async ({ game, variant }) => {
    const ends: Position[] = [];
    for (let first = 0; first < GAMES_EACH; first += BATCH) {
      const batch = Array.from({ length: BATCH }, (_, at) => played(game, variant, first + at));
      const texts = await engine.answers(batch.flatMap(({ lines }) => lines));
      for (const { seed, lines, answers, end } of batch) {
        const theirs = texts.splice(0, lines.length);
        const at = theirs.findIndex((text, nth) => text !== answers[nth]);
        if (at >= 0) {
          const requests = lines.slice(0, at + 1).filter((line) => !line.includes('"legal"'));
          const where = `${game} ${variant}, seed ${seed}:\n${requests.join("\n")}\n${lines[at]}`;
          expect(JSON.parse(answers[at]!), where).toEqual(JSON.parse(theirs[at]!));
        }
        ends.push(end);
      }
    }
    expect(ends).toHaveLength(GAMES_EACH);
    // Some games are played to the end; random play rarely brings whole runs home.
    const { automatic } = findRuleset(game, variant);
    expect(automatic || ends.some(({ won, stuck }) => won || stuck)).toBe(true);
  },
);

test("at least six hundred games are played", () => {
  expect(VARIANTS.length * GAMES_EACH).toBeGreaterThanOrEqual(600);
});

test("the driver as a process gives the same answers", { timeout: 30_000 }, () => {
  const batch = VARIANTS.map(({ game, variant }, nth) => played(game, variant, nth + 1));
  const { stdout, status } = spawnSync("npm", ["run", "--silent", "driver"], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    input: batch.flatMap(({ lines }) => lines.map((line) => `${line}\n`)).join(""),
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  expect(status).toBe(0);
  const theirs = stdout.trim().split("\n");
  const ours = batch.flatMap(({ answers }) => answers);
  const at = ours.findIndex((text, nth) => text !== theirs[nth]);
  expect([at, theirs[at], theirs.length]).toEqual([-1, undefined, ours.length]);
});
