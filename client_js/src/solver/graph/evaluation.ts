/** The evaluation of positions, in points. It affects only the order of expansion. */

import { PACK_SIZE, RANKS } from "../../rules/cards.ts";
import { countIn } from "./cardSets.ts";
import { type Position, STRIDE } from "./position.ts";

/** Weights in points, in the order of their variation. */
export const WEIGHTS = {
  home: 1024,
  space: 3000,
  cell: 1500,
  joined: 800,
  broken: 600,
  hidden: 3000,
  late: 900,
  lateness: 100,
  lateLine: 900,
  talon: 300,
  reserve: 1500,
};

export type Weights = Readonly<typeof WEIGHTS>;

/** Those of games with cells, found by a random search on other deals than the tests use. */
export const OPEN_WEIGHTS: Weights = {
  ...WEIGHTS,
  space: 0,
  cell: 2585,
  broken: 502,
  late: 476,
  lateness: 171,
  lateLine: 581,
};

/** Later than any card goes home. */
const NEVER = 99;

/** The earliest card of each suit among the cards of a pile so far. */
const earliestOf = new Uint8Array(4);

/** Return the points of a position: more points are closer to a win. */
export function pointsOf(position: Position, weights: Weights): number {
  const { size, tables } = position;
  const { columns, cells, piles } = tables;
  let points = weights.home * position.home;
  for (let pile = 0; pile < columns; pile++) {
    points += size[pile] === 0 ? weights.space : pointsOfPile(position, pile, weights);
  }
  for (let pile = columns; pile < columns + cells; pile++) {
    if (size[pile] === 0) points += weights.cell;
  }
  for (let pile = columns + cells; pile < piles; pile++) points -= weights.reserve * size[pile]!;
  return points - weights.talon * (countIn(position.leftLow) + countIn(position.leftHigh));
}

function pointsOfPile(position: Position, pile: number, weights: Weights): number {
  const { turn, carries } = position.tables;
  const { cards } = position;
  const size = position.size[pile]!;
  const hidden = position.hidden[pile]!;
  const at = pile * STRIDE;
  let points = -weights.hidden * hidden;
  let card = cards[at]!;
  let earliest = turn[card]!;
  earliestOf.fill(NEVER);
  earliestOf[suitOf(card)] = earliest;
  for (let nth = 1; nth < size; nth++) {
    const below = card;
    card = cards[at + nth]!;
    const late = turn[card]! - earliest;
    if (nth <= hidden || carries[(below + 1) * PACK_SIZE + card] === 0) {
      if (nth >= hidden) points -= weights.broken;
      if (late > 0) points -= weights.late + weights.lateness * late;
    } else {
      points += weights.joined;
    }
    const suit = suitOf(card);
    if (turn[card]! > earliestOf[suit]!) points -= weights.lateLine;
    else earliestOf[suit] = turn[card]!;
    if (late < 0) earliest = turn[card]!;
  }
  return points;
}

function suitOf(card: number): number {
  return Math.floor(card / RANKS.length);
}
