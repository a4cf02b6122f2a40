/**
 * Advice: a move that leads to a win for many of the possible arrangements of the unseen cards.
 *
 * It depends only on the player's knowledge. Boards are sampled uniformly from those consistent
 * with it. Each is solved with all cards known, and its line votes for its first move. That is an
 * approximation: a line may rely on a card that the player will not have seen by then, but a first
 * move shared by many lines is good. If a board has many winning lines, the simple move also gets
 * its vote whenever it preserves the win, so that another move prevails only if it wins more
 * boards. If no line wins, lines that bring cards home vote. A move that is right on all boards
 * needs no votes.
 *
 * Once all cards are known, the board is solved as a whole, and the line that wins can be followed.
 */

import { type Board, type Layout, cardsHome } from "../rules/board.ts";
import { DOWN, UNSEEN } from "../rules/cards.ts";
import { hint } from "../rules/hints.ts";
import { legalMoves } from "../rules/moves.ts";
import { moveText } from "../rules/notation.ts";
import { apply } from "../rules/play.ts";
import type { Move } from "../rules/ruleset.ts";
import { SHORTER, followable } from "./followable.ts";
import type { Method } from "./index.ts";
import { keyOf } from "./known.ts";
import { type Random, randomFrom, seedOf, shuffledBy } from "./random.ts";
import { safeMove } from "./safe.ts";
import type { Verdict } from "./solution.ts";

export interface Advice {
  /** The move; null if no useful one is known. */
  readonly move: Move | null;
  /** The number of sampled boards won by a line starting with it. */
  readonly wins: number;
  /** The number of sampled and solved boards. */
  readonly samples: number;
  /** Whether every card is known, so that the only sample is the real board. */
  readonly certain: boolean;
  /** Whether neither a line nor a rule supports the move, which has alternatives. */
  readonly guess: boolean;
  /** The verdict on a fully known board; otherwise `unknown`. */
  readonly verdict: Verdict;
  /** A line that wins a fully known board, starting with the move; empty if none was found. */
  readonly line: readonly Move[];
}

/** What advice uses of a method. */
export type Advising = Pick<Method, "glance" | "solve" | "budget" | "samples" | "manyLines">;

/** Votes for a first move: sampled boards that its lines win, and boards that they improve. */
interface Votes {
  readonly move: Move;
  wins: number;
  gains: number;
}

/** Whether every card of a layout is known. */
export function isCertain(known: Layout): boolean {
  return !known.piles.some((pile) => pile.includes(UNSEEN));
}

/**
 * Return a move that is right on all boards, else the one with most votes, else a good simple
 * player's move. The effort is limited in steps, so that the same board has the same advice on
 * every machine.
 *
 * @param known the player's knowledge: face-down cards that were seen have their faces, all others
 * are `UNSEEN`.
 * @param been the keys (`keyOf`) of the previous layouts. No line returns to one of them, except one
 * that wins a fully known board, so following advice never loops.
 * @param share the divisor of the budget for a fully known board.
 */
export function advise(
  known: Layout,
  method: Advising,
  been: ReadonlySet<string> = new Set(),
  share = 1,
): Advice {
  const candidates = new Map<string, Votes>();
  for (const move of legalMoves(known)) {
    if (been.has(keyOf(apply(known, move)))) continue;
    candidates.set(moveText(known.ruleset, move), { move, wins: 0, gains: 0 });
  }
  return isCertain(known)
    ? calculated(known, method, candidates, share)
    : sampled(known, method, candidates);
}

/** Return the advice for a fully known board. */
function calculated(
  known: Layout,
  { solve, budget }: Advising,
  candidates: ReadonlyMap<string, Votes>,
  share: number,
): Advice {
  const board = { ...known };
  const { verdict, line, home } = solve(board, Math.ceil(budget / share));
  const found = { samples: 1, certain: true, verdict };
  const [first] = line;
  if (verdict === "winnable" && first !== undefined) {
    const won = followable(board, line, (each) => solve(each, Math.ceil(budget / SHORTER)));
    return { ...found, move: won[0] ?? first, wins: 1, guess: false, line: won };
  }
  const gains = first && home > cardsHome(board) && candidates.has(moveText(board.ruleset, first));
  const safe = safeMove(known);
  const move = gains ? first : (safe ?? hint(known));
  return { ...found, move, wins: 0, guess: move !== null && move !== safe, line: [] };
}

/** Return the advice for a board with unseen cards. */
function sampled(
  known: Layout,
  { glance, samples: most, manyLines = false }: Advising,
  votes: ReadonlyMap<string, Votes>,
): Advice {
  const found = { certain: false, verdict: "unknown" as const, line: [] };
  const safe = safeMove(known);
  if (safe !== null) return { ...found, move: safe, wins: 0, samples: 0, guess: false };
  const simple = hint(known);
  const random = randomFrom(seedOf(keyOf(known)));
  const usual = simple ? votes.get(moveText(known.ruleset, simple)) : undefined;
  // A single candidate needs no computation.
  const samples = votes.size > 1 ? most : 0;
  for (let nth = 0; nth < samples; nth++) {
    const board = imagined(known, random);
    const { verdict, line, home } = glance(board);
    const [first] = line;
    const voted = first && votes.get(moveText(known.ruleset, first));
    // The line found is only one of many: the simple move may preserve the win as well.
    if (manyLines && verdict === "winnable" && usual && usual !== voted) {
      if (glance(apply(board, usual.move)).verdict === "winnable") usual.wins += 1;
    }
    if (voted === undefined) continue;
    if (verdict === "winnable") voted.wins += 1;
    else if (home > cardsHome(board) && !manyLines) voted.gains += 1;
  }
  const { move, wins } = chosenOf([...votes.values()], simple) ?? { move: simple, wins: 0 };
  const guess = move !== null && wins === 0 && votes.size > 1;
  return { ...found, move, wins, samples, guess };
}

/** Return the move with most wins, then gains, then the simple one; null without votes. */
function chosenOf(votes: readonly Votes[], simple: Move | null): Votes | null {
  let chosen: Votes | null = null;
  for (const each of votes) {
    if (each.wins + each.gains === 0) continue;
    const ahead = chosen === null ? 1 : each.wins - chosen.wins || each.gains - chosen.gains;
    if (ahead > 0 || (ahead === 0 && isSame(each.move, simple))) chosen = each;
  }
  return chosen;
}

export function isSame(one: Move, other: Move | null): boolean {
  return one.source === other?.source && one.target === other.target && one.count === other.count;
}

/** Sample a board consistent with the player's knowledge. */
export function imagined(known: Layout, random: Random): Board {
  const { ruleset, piles } = known;
  const seen = new Map<number, number>();
  for (const card of piles.flat()) {
    if (card !== UNSEEN) seen.set(card & ~DOWN, (seen.get(card & ~DOWN) ?? 0) + 1);
  }
  // Sorted, so that the result does not depend on the pack's order.
  const unseen = [...ruleset.pack]
    .sort((one, other) => one - other)
    .filter((card) => {
      const left = seen.get(card) ?? 0;
      seen.set(card, left - 1);
      return left <= 0;
    });
  const order = shuffledBy(random, unseen);
  const filled = piles.map((pile) =>
    pile.map((card) => (card === UNSEEN ? (order.pop() ?? 0) | DOWN : card)),
  );
  return { ...known, piles: filled };
}
