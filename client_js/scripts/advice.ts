/**
 * Measures advice against a good simple player, game by game: `npm run measure:advice -- [BOARDS]`.
 *
 * Each board is one that the simple player reaches in a deal. From there it plays to the end twice,
 * starting with its own move and with the advised one.
 */

import { performance } from "node:perf_hooks";
import { type Board, cardsHome } from "../src/rules/board.ts";
import { findRuleset, games } from "../src/rules/catalog.ts";
import { dealSeed } from "../src/rules/deal.ts";
import { hint } from "../src/rules/hints.ts";
import { play } from "../src/rules/play.ts";
import type { Move, Ruleset } from "../src/rules/ruleset.ts";
import { advise, isSame } from "../src/solver/advice.ts";
import { methodOf } from "../src/solver/index.ts";
import { knownOf } from "../src/solver/known.ts";
import { randomFrom } from "../src/solver/random.ts";
import { safeMove } from "../src/solver/safe.ts";

const [boards = 200] = process.argv.slice(2).map(Number);

/** More moves than any game takes, because the simple player may loop. */
const MOST_MOVES = 1_000;

/** Return the boards that the simple player reaches, starting with this one. */
function run(from: Board): readonly Board[] {
  const found = [from];
  for (let board = from; found.length < MOST_MOVES; found.push(board)) {
    const move = hint(board);
    if (move === null) break;
    board = play(board, move);
  }
  return found;
}

/** Return the most cards home at any time after this move. */
function reached(board: Board, move: Move): number {
  return Math.max(...run(play(board, move)).map(cardsHome));
}

function measure(ruleset: Ruleset): string {
  const random = randomFrom(20_260_000);
  const method = methodOf(ruleset);
  let [same, better, worse, gained, safe, missed, slowest] = [0, 0, 0, 0, 0, 0, 0];
  for (let nth = 0; nth < boards;) {
    const seed = Uint8Array.from({ length: 32 }, () => random() & 0xff);
    const path = run(dealSeed(ruleset, seed));
    const board = path[random() % path.length];
    const simple = board && hint(board);
    if (!board || !simple) continue;
    nth += 1;
    const begun = performance.now();
    const { move } = advise(knownOf(board), method);
    slowest = Math.max(slowest, performance.now() - begun);
    const obvious = safeMove(knownOf(board));
    if (obvious) {
      safe += 1;
      if (move === null || !ruleset.foundations.includes(move.target)) missed += 1;
    }
    if (move === null || isSame(move, simple)) same += 1;
    else {
      const more = reached(board, move) - reached(board, simple);
      gained += more;
      if (more > 0) better += 1;
      if (more < 0) worse += 1;
    }
  }
  const average = (gained / boards).toFixed(2);
  return [
    ...[ruleset.game, `${same} alike`, `${better} better`, `${worse} worse`],
    ...[`${average} cards a board`, `${missed} of ${safe} safe moves home missed`],
    `${Math.round(slowest)} ms at most`,
  ].join(", ");
}

for (const { id } of games) console.log(measure(findRuleset(id)));
