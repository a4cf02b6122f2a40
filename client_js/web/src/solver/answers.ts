/** Answers of the solver's worker, without the worker. */

import type { Board } from "../../../src/rules/board.ts";
import { findStoredRuleset } from "../../../src/rules/catalog.ts";
import { dealSeed, parseSeed } from "../../../src/rules/deal.ts";
import { EngineError } from "../../../src/rules/errors.ts";
import { moveText, parseMove } from "../../../src/rules/notation.ts";
import { play } from "../../../src/rules/play.ts";
import type { Move } from "../../../src/rules/ruleset.ts";
import { advise, isCertain } from "../../../src/solver/advice.ts";
import { type Method, methodOf } from "../../../src/solver/index.ts";
import { keyOf } from "../../../src/solver/known.ts";
import { review } from "../../../src/solver/review.ts";
import { lastWinnable } from "../../../src/solver/wayBack.ts";
import type { Answer, Ask, AskAdvice, AskDeal, AskReview } from "./protocol.ts";

/** Answer a request with one or more answers, of which only the last one satisfies `isLast`. */
export function answer(
  ask: Ask,
  send: (answer: Answer) => void,
  method: (ruleset: Board["ruleset"]) => Method = methodOf,
): void {
  try {
    if (ask.kind === "advice") send(advised(ask, method));
    else if (ask.kind === "deal") send(dealFound(ask, method));
    else reviewed(ask, send, method);
  } catch (error) {
    // Unknown rules, or illegal moves.
    if (!(error instanceof EngineError)) throw error;
    send({ kind: "failed", message: error.message });
  }
}

/** The divisor of the budget after a search in vain: later boards are rarely easier. */
const IN_VAIN = 20;

/** The divisor of the budget for each candidate of a new deal: the next one may be easier. */
const CANDIDATE = 30;

function advised(
  { game, variant, rules, layouts, winnable, vain }: AskAdvice,
  method: (ruleset: Board["ruleset"]) => Method,
): Answer {
  const ruleset = findStoredRuleset(game, variant, rules);
  const all = layouts.map((laid) => ({ ruleset, ...laid }));
  const known = all.at(-1);
  if (known === undefined) throw new EngineError("bad_request", "There is no layout.");
  const past = all.slice(0, -1);
  const been = new Set(past.map(keyOf));
  const { move, line, ...found } = advise(known, method(ruleset), been, vain ? IN_VAIN : 1);
  let undos: number | null = null;
  if (found.certain && found.verdict !== "winnable") {
    // The player's knowledge grows, so the fully known layouts are the last ones.
    const first = past.findIndex(isCertain);
    const sure = first < 0 ? [] : past.slice(first);
    const from = winnable === null ? null : winnable - first;
    const last = lastWinnable(sure, method(ruleset), from !== null && from >= 0 ? from : null);
    undos = last === null ? null : sure.length - last;
  }
  const text = (each: Move) => moveText(ruleset, each);
  return { kind: "advice", move: move && text(move), line: line.map(text), undos, ...found };
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

function dealFound(
  { game, variant, rules, seeds }: AskDeal,
  method: (ruleset: Board["ruleset"]) => Method,
): Answer {
  const ruleset = findStoredRuleset(game, variant, rules);
  const { solve, budget } = method(ruleset);
  const isWinnable = (seed: string) =>
    solve(dealSeed(ruleset, parseSeed(seed)), Math.ceil(budget / CANDIDATE)).verdict === "winnable";
  return { kind: "deal", seed: seeds.find(isWinnable) ?? null };
}
