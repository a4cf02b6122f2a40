/**
 * The move trees of the golden files, counted by these rules; see `tests/vectors/perft/README.md`.
 */

import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Board } from "../../src/rules/board.ts";
import { parsePile } from "../../src/rules/cards.ts";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { dealSeed, layOut, parseSeed } from "../../src/rules/deal.ts";
import { legalMoves } from "../../src/rules/moves.ts";
import { moveText, parseMove } from "../../src/rules/notation.ts";
import { apply, play } from "../../src/rules/play.ts";
import { Ruleset } from "../../src/rules/ruleset.ts";
import type { Game } from "../../src/rules/schema.ts";
import { PYTHON, ROOT } from "./engine.ts";

/** Rulesets of related games, used in tests but absent from the catalogue. */
const relatives: Game[] = JSON.parse(
  spawnSync(PYTHON, ["-m", "tests.relatives"], { cwd: ROOT, encoding: "utf8" }).stdout,
).games;
const rulesets = new Map(
  [...games, ...relatives].flatMap((game) =>
    game.variants.map(({ id, rules }) => [
      `${game.id}.${id}`,
      games.includes(game) ? findRuleset(game.id, id) : new Ruleset(game.id, id, rules),
    ]),
  ),
);

const folder = new URL("../../../tests/vectors/perft/", import.meta.url);
const files = readdirSync(fileURLToPath(folder)).filter((name) => name.endsWith(".txt"));

interface Tree {
  deal: string;
  opening: string[];
  counts: number[];
  first: Record<string, number>;
}

function treesOf(text: string): Tree[] {
  return text
    .trim()
    .split("\n\n")
    .slice(1)
    .map((block) => {
      const tree: Tree = { deal: "", opening: [], counts: [], first: {} };
      for (const line of block.split("\n")) {
        const [word, ...rest] = line.split(" ");
        if (word === "seed" || word === "deck") tree.deal = line;
        else if (word === "opening") tree.opening = rest;
        else if (word === "counts") tree.counts = rest.map(Number);
        else if (word === "first") tree.first[rest[0]!] = Number(rest[1]);
        else throw new Error(`Unknown line: ${line}`);
      }
      return tree;
    });
}

function root(ruleset: Ruleset, { deal, opening }: Tree): Board {
  const [word, ...rest] = deal.split(" ");
  const board =
    word === "seed" ? dealSeed(ruleset, parseSeed(rest[0]!)) : layOut(ruleset, parsePile(rest));
  return opening.reduce((at, move) => play(at, parseMove(ruleset, move)), board);
}

/** Add the number of paths from a board to `counts`, by length. */
function count(board: Board, depth: number, length: number, counts: number[]): void {
  const moves = legalMoves(board);
  counts[length + 1]! += moves.length;
  if (length + 1 === depth) return;
  for (const move of moves) count(apply(board, move), depth, length + 1, counts);
}

function counted(board: Board, depth: number): Pick<Tree, "counts" | "first"> {
  const counts: number[] = [1, ...Array(depth).fill(0)];
  const first: Record<string, number> = {};
  for (const move of legalMoves(board)) {
    const before = counts[depth]!;
    counts[1]! += 1;
    if (depth === 1) first[moveText(board.ruleset, move)] = 1;
    else {
      count(apply(board, move), depth, 1, counts);
      first[moveText(board.ruleset, move)] = counts[depth]! - before;
    }
  }
  return { counts, first };
}

test("there is a file for each game and variant", () => {
  const found = files.map((name) => name.replace(/\.txt$/, "")).sort();
  expect(found, "`make vectors` writes them").toEqual([...rulesets.keys()].sort());
});

describe.each(files)("%s", (name) => {
  const ruleset = rulesets.get(name.replace(/\.txt$/, ""))!;
  const trees = treesOf(readFileSync(new URL(name, folder), "utf8"));
  test.each(trees.map((tree, nth) => ({ nth, tree })))(
    "tree $nth",
    { timeout: 20_000 },
    ({ tree }) => {
      const { counts, first } = tree;
      expect(counted(root(ruleset, tree), counts.length - 1)).toEqual({ counts, first });
    },
  );
});
