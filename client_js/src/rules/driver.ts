/**
 * The rules' driver, a twin of `python -m engine`: JSON Lines requests in, one JSON object per line
 * out.
 *
 * Requests, by `op`: `games`; `new` with `game`, `variant`? and `deck` or `seed`; `load` with
 * `position`; `move` with `move`; `position`; `legal`; `hint`. Every response is a position, the
 * games, the legal moves, a hint (`{"move"}`, or null), or `{"error": {"code", "message"}}`, which
 * leaves the position unchanged.
 */

import type { Board } from "./board.ts";
import { parsePile } from "./cards.ts";
import { games } from "./catalog.ts";
import { dealSeed, layOut, parseSeed } from "./deal.ts";
import { EngineError } from "./errors.ts";
import { hint } from "./hints.ts";
import { legalMoves } from "./moves.ts";
import { moveText, parseMove } from "./notation.ts";
import { play } from "./play.ts";
import { isObject, isTexts, parsePosition, positionOf } from "./position.ts";
import { findCheckedRuleset } from "./refusals.ts";
import { STANDARD } from "./schema.ts";

/** The maximum length of a request in characters, without the line ending. */
export const MAX_LINE_LENGTH = 65_536;

type Request = Readonly<Record<string, unknown>>;

interface Operation {
  readonly keys: readonly string[];
  readonly run: (request: Request) => object;
}

/** One conversation: holds the current position and answers requests. */
export class Driver {
  #board: Board | null = null;

  readonly #operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
    ["games", { keys: [], run: () => this.#games() }],
    ["new", { keys: ["game", "variant", "deck", "seed"], run: (request) => this.#new(request) }],
    [
      "load",
      {
        keys: ["position"],
        run: ({ position }) => this.#go(parsePosition(position, findCheckedRuleset)),
      },
    ],
    ["move", { keys: ["move"], run: (request) => this.#move(request) }],
    ["position", { keys: [], run: () => positionOf(this.#at()) }],
    ["legal", { keys: [], run: () => this.#legal() }],
    ["hint", { keys: [], run: () => this.#hint() }],
  ]);

  /** Return the response to one line. Invalid input gives an error response; nothing throws. */
  answer(line: string): object {
    try {
      return this.#handle(parseRequest(line));
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      return { error: { code: error.code, message: error.message } };
    }
  }

  #handle(request: Request): object {
    const { op } = request;
    const operation = typeof op === "string" ? this.#operations.get(op) : undefined;
    if (operation === undefined) {
      throw badRequest(`op must be one of ${[...this.#operations.keys()].join(", ")}.`);
    }
    const [unknown] = Object.keys(request)
      .filter((key) => key !== "op" && !operation.keys.includes(key))
      .sort();
    if (unknown !== undefined) throw badRequest(`${String(op)} has no field '${unknown}'.`);
    return operation.run(request);
  }

  #at(): Board {
    if (this.#board === null) {
      throw badRequest("There is no position yet: send new or load first.");
    }
    return this.#board;
  }

  #go(board: Board): object {
    this.#board = board;
    return positionOf(board);
  }

  #games(): object {
    return {
      games: games.map(({ id, name, variants }) => ({
        id,
        name,
        variants: variants.map((variant) => variant.id),
      })),
    };
  }

  #new(request: Request): object {
    const rules = findCheckedRuleset(
      text(request, "game"),
      text({ variant: STANDARD, ...request }, "variant"),
    );
    if ("deck" in request === "seed" in request) throw badRequest("new takes either deck or seed.");
    if ("seed" in request) return this.#go(dealSeed(rules, parseSeed(text(request, "seed"))));
    if (!isTexts(request.deck)) throw badRequest("deck must be a list of strings.");
    return this.#go(layOut(rules, parsePile(request.deck)));
  }

  #move(request: Request): object {
    const board = this.#at();
    return this.#go(play(board, parseMove(board.ruleset, text(request, "move"))));
  }

  #legal(): object {
    const board = this.#at();
    return {
      moves: legalMoves(board)
        .map((move) => moveText(board.ruleset, move))
        .sort(),
    };
  }

  #hint(): object {
    const board = this.#at();
    const move = hint(board);
    return { move: move && moveText(board.ruleset, move) };
  }
}

function badRequest(message: string): EngineError {
  return new EngineError("bad_request", message);
}

function parseRequest(line: string): Request {
  // Characters are code points; count them only if the line may be too long.
  if (line.length > MAX_LINE_LENGTH && [...line].length > MAX_LINE_LENGTH) {
    throw badRequest(`A request has at most ${MAX_LINE_LENGTH} characters.`);
  }
  let request: unknown;
  try {
    request = JSON.parse(line);
  } catch {
    request = null;
  }
  if (!isObject(request)) throw badRequest("A request must be a JSON object on one line.");
  return request;
}

function text(request: Request, key: string): string {
  const value = request[key];
  if (typeof value !== "string") throw badRequest(`${key} must be a string.`);
  return value;
}
