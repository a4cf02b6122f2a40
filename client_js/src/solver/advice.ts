/**
 * Advice: a move that leads to a win for many of the ways in which the unseen cards may lie.
 *
 * It follows from what the player knows alone. Boards are imagined that agree with that, each way
 * of placing the unseen cards as likely as any other; each board is solved with all its cards known,
 * and its line votes for its first move. That is an approximation: a line may rely on a card that
 * the player will not have seen by then, but where many lines begin alike, the move is good. Where
 * a board has many lines that win, the simple move has the vote of each that can still be won after
 * it: another one is good only where it wins more. Else, where no line wins, those vote that bring
 * cards home. A move that is right on all boards needs no votes.
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
  /** The move; null if none is known to get further. */
  readonly move: Move | null;
  /** How many of the imagined boards a line that begins with it wins. */
  readonly wins: number;
  /** How many boards were imagined and solved. */
  readonly samples: number;
  /** Whether nothing is unseen: then there is one board, which is the real one. */
  readonly certain: boolean;
}

/** How long to think. */
export interface Limits {
  /** The time of some clock. */
  readonly now: () => number;
  /** Until when by that clock; a board is not begun if the last one took longer than is left. */
  readonly until: number;
  /** How many boards, at the most. */
  readonly samples: number;
}

/** How many boards to imagine where there is time for more. */
export const SAMPLES = 60;

/** Points for a first move: imagined boards that its lines win, and others that they improve. */
interface Votes {
  readonly move: Move;
  wins: number;
  gains: number;
}

/** The part of a method's budget for the one board that there is if nothing is unseen. */
const CERTAIN = 50;

/**
 * A move that is right on all boards, else the one with most votes, else what a good simple player
 * would do.
 *
 * @param known what the player knows: cards that lie face down and were seen have their faces, all
 * others that lie face down are `UNSEEN`.
 * @param been the keys (`keyOf`) of the layouts before: no line leads back to one, so whoever
 * follows advice does not go in circles.
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
  // With one move there is nothing to think about.
  while (votes.size > 1 && samples < most && (samples === 0 || time + took < limits.until)) {
    const board = imagined(known, random);
    const { verdict, line, home } = certain ? solve(board, budget / CERTAIN) : glance(board);
    samples += 1;
    const [first] = line;
    const voted = first && votes.get(moveText(known.ruleset, first));
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

/** The move with most wins, then most gains; of equals, the simple one; null without any votes. */
function chosenOf(votes: readonly Votes[], simple: Move | null): Votes | null {
  let chosen: Votes | null = null;
  for (const each of votes) {
    if (each.wins + each.gains === 0) continue;
    const ahead = chosen === null ? 1 : each.wins - chosen.wins || each.gains - chosen.gains;
    if (ahead > 0 || (ahead === 0 && isSame(each.move, simple))) chosen = each;
  }
  return chosen;
}

/** Whether two moves are the same one. */
export function isSame(one: Move, other: Move | null): boolean {
  return one.source === other?.source && one.target === other.target && one.count === other.count;
}

/** A board that agrees with what is known, with the unseen cards in a random order. */
export function imagined(known: Layout, random: Random): Board {
  const { ruleset, piles } = known;
  const seen = new Map<number, number>();
  for (const card of piles.flat()) {
    if (card !== UNSEEN) seen.set(card & ~DOWN, (seen.get(card & ~DOWN) ?? 0) + 1);
  }
  // In the order of the cards, whatever that of the packs is.
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
