/** Answers of the solver's worker, without the worker. */

import type { Board } from "../../../src/rules/board.ts";
import { findStoredRuleset } from "../../../src/rules/catalog.ts";
import { dealSeed, parseSeed } from "../../../src/rules/deal.ts";
import { EngineError } from "../../../src/rules/errors.ts";
import { moveText, parseMove } from "../../../src/rules/notation.ts";
import { play } from "../../../src/rules/play.ts";
import { SAMPLES, advise } from "../../../src/solver/advice.ts";
import { type Method, methodOf } from "../../../src/solver/index.ts";
import { review } from "../../../src/solver/review.ts";
import type { Answer, Ask, AskAdvice, AskReview } from "./protocol.ts";

/**
 * Answer a request with one or more answers, of which only the last one satisfies `isLast`.
 *
 * @param now a clock in milliseconds.
 */
export function answer(
  ask: Ask,
  send: (answer: Answer) => void,
  now: () => number,
  method: (ruleset: Board["ruleset"]) => Method = methodOf,
): void {
  try {
    if (ask.kind === "advice") send(advised(ask, now, method));
    else reviewed(ask, send, method);
  } catch (error) {
    // Unknown rules, or illegal moves.
    if (!(error instanceof EngineError)) throw error;
    send({ kind: "failed", message: error.message });
  }
}

function advised(
  { game, variant, rules, piles, redeals, moves, been, time }: AskAdvice,
  now: () => number,
  method: (ruleset: Board["ruleset"]) => Method,
): Answer {
  const ruleset = findStoredRuleset(game, variant, rules);
  const limits = { now, until: now() + time, samples: SAMPLES };
  const known = { ruleset, piles, redeals, moves };
  const { move, ...found } = advise(known, method(ruleset), limits, new Set(been));
  return { kind: "advice", move: move && moveText(ruleset, move), ...found };
}

function reviewed(
  { game, variant, rules, seed, moves, line }: AskReview,
  send: (answer: Answer) => void,
  method: (ruleset: Board["ruleset"]) => Method,
): void {
  const ruleset = findStoredRuleset(game, variant, rules);
  let board = dealSeed(ruleset, parseSeed(seed));
  const boards = [board];
  for (const text of moves) {
    board = play(board, parseMove(ruleset, text));
    boards.push(board);
  }
  review(boards, method(ruleset), line, (found, done) =>
    send({ kind: "review", review: found, done }),
  );
}
