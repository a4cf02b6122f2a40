/** The golden run, as a file and as sent by the server. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Run, RunFile } from "../src/index.ts";
import { findStoredRuleset } from "../src/rules/catalog.ts";
import { parseMove } from "../src/rules/notation.ts";
import { ROW } from "../src/rules/ruleset.ts";
import { ROOT } from "./rules/engine.ts";

export const text = readFileSync(join(ROOT, "tests/vectors/run.json"), "utf8");
export const file = JSON.parse(text) as RunFile;
const ruleset = findStoredRuleset(file.game, file.variant, file.rules);

/** Return the moves of a file in the server's form. */
function numbers(moves: RunFile["moves"]): number[] {
  let before = 0;
  return moves.flatMap(([move, time]) => {
    const { source, target, count } = parseMove(ruleset, move);
    const after = time - before;
    before = time;
    return [after, source, target === ROW ? ruleset.pileNames.length : target, count];
  });
}

export function runOf(moves: RunFile["moves"]): Run {
  const { result, samedeal: _, format: __, help = "none", ...fields } = file;
  const attempt = `${file.deal}.${file.player.id}`;
  return {
    ...fields,
    ...{ attempt, moves: numbers(moves), end: result.end ?? "resigned", help, hints: 0 },
  };
}
