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
 */

import { type Board, type Layout, cardsHome } from "../rules/board.ts";
import { DOWN, UNSEEN } from "../rules/cards.ts";
import { hint } from "../rules/hints.ts";
import { legalMoves } from "../rules/moves.ts";
import { moveText } from "../rules/notation.ts";
import { apply } from "../rules/play.ts";
import type { Move } from "../rules/ruleset.ts";
import type { Method } from "./index.ts";
import { keyOf } from "./known.ts";
import { type Random, randomFrom, seedOf, shuffledBy } from "./random.ts";
import { safeMove } from "./safe.ts";

export interface Advice {
  /** The move; null if no useful one is known. */
  readonly move: Move | null;
  /** The number of sampled boards won by a line starting with it. */
  readonly wins: number;
  /** The number of sampled and solved boards. */
  readonly samples: number;
  /** Whether every card is known, so that the only sample is the real board. */
  readonly certain: boolean;
}

export interface Limits {
  readonly now: () => number;
  /** The deadline on that clock. No board is started if the last took longer than is left. */
  readonly until: number;
  readonly samples: number;
}

/** The number of boards to sample if time allows. */
export const SAMPLES = 60;

/** Votes for a first move: sampled boards that its lines win, and boards that they improve. */
interface Votes {
  readonly move: Move;
  wins: number;
  gains: number;
}

/** The share of a method's budget for a fully known board. */
const CERTAIN = 50;

/**
 * Return a move that is right on all boards, else the one with most votes, else a good simple
 * player's move.
 *
 * @param known the player's knowledge: face-down cards that were seen have their faces, all others
 * are `UNSEEN`.
 * @param been the keys (`keyOf`) of the previous layouts. No line returns to one of them, so
 * following advice never loops.
 */
export function advise(
  known: Layout,
  {
    glance,
    solve,
    budget,
    manyLines = false,
  }: Pick<Method, "glance" | "solve" | "budget" | "manyLines">,
  limits: Limits,
  been: ReadonlySet<string> = new Set(),
): Advice {
  const certain = !known.piles.some((pile) => pile.includes(UNSEEN));
  const safe = safeMove(known);
  if (safe !== null && !certain) return { move: safe, wins: 0, samples: 0, certain };
  const simple = hint(known);
  const random = randomFrom(seedOf(keyOf(known)));
  const most = certain ? 1 : limits.samples;
  const votes = new Map<string, Votes>();
  for (const move of legalMoves(known)) {
    if (been.has(keyOf(apply(known, move)))) continue;
    votes.set(moveText(known.ruleset, move), { move, wins: 0, gains: 0 });
  }
  const usual = simple ? votes.get(moveText(known.ruleset, simple)) : undefined;
  let samples = 0;
  let took = 0;
  let time = limits.now();
  // A single candidate needs no computation.
  while (votes.size > 1 && samples < most && (samples === 0 || time + took < limits.until)) {
    const board = imagined(known, random);
    const { verdict, line, home } = certain ? solve(board, budget / CERTAIN) : glance(board);
    samples += 1;
    const [first] = line;
    const voted = first && votes.get(moveText(known.ruleset, first));
    // The line found is only one of many: the simple move may preserve the win as well.
    if (manyLines && !certain && verdict === "winnable" && usual && usual !== voted) {
      if (glance(apply(board, usual.move)).verdict === "winnable") usual.wins += 1;
    }
    const after = limits.now();
    took = after - time;
    time = after;
    if (voted === undefined) continue;
    if (verdict === "winnable") voted.wins += 1;
    else if (home > cardsHome(board) && (certain || !manyLines)) voted.gains += 1;
  }
  const chosen = chosenOf([...votes.values()], simple);
  const { move, wins } = chosen ?? { move: simple, wins: 0 };
  return { move: wins > 0 ? move : (safe ?? move), wins, samples, certain };
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
