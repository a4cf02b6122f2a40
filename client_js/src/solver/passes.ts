/**
 * Solves games without a tableau exactly: all passes through the stock are decided together.
 *
 * This is the twin of `engine/solver/passes.py`, which proves exactness, with the same answers.
 */

import { type Board, cardsHome, pileAt } from "../rules/board.ts";
import { PACK_SIZE, turnedUp } from "../rules/cards.ts";
import { topOf } from "../rules/moves.ts";
import { EMPTY, type Move, type Ruleset } from "../rules/ruleset.ts";
import { type Blocks, type Passes, findBlocks, item } from "./blocks.ts";
import type { Solution } from "./solution.ts";

/** The most kinds of cards; the states are their number to the power of the passes. */
const MAX_KINDS = 13;
const MAX_REDEALS = 2;
const PROOF = "All passes through the stock were decided together.";

/**
 * Whether this method solves a game, by its rules alone.
 *
 * The game has no tableau and one foundation; the stock is dealt to the waste, and the waste is
 * played to the foundation and turned over at most twice. The cards that the foundation takes
 * depend on ranks alone, in any order.
 */
export function applies(ruleset: Ruleset): boolean {
  const { tableau, stock, waste } = ruleset.rules;
  return (
    tableau === null &&
    !ruleset.pairs &&
    ruleset.foundations.length === 1 &&
    stock.plays.join() === "waste" &&
    waste?.plays.join() === "foundation" &&
    stock.turns === 1 &&
    ruleset.redeals <= MAX_REDEALS &&
    ruleset.reserve.length + ruleset.cells.length === 0 &&
    Math.max(...kindsOf(ruleset)) < MAX_KINDS
  );
}

/** Return the most cards that can come home from any position, and a line that brings them home. */
export function solve(board: Board): Solution {
  const passes = passesOf(board);
  const blocks = findBlocks(passes);
  const plays = bestPlays(passes, blocks, walk(passes, blocks));
  const out = passes.kinds.length - plays.length;
  return {
    verdict: out > 0 ? "impossible" : "winnable",
    line: lineOf(board, passes, plays),
    home: cardsHome(board) + plays.length,
    most: true,
    proof: out > 0 ? PROOF : "",
    effort: out,
    steps: 0,
  };
}

const CARDS = Array.from({ length: PACK_SIZE }, (_, card) => card);

/** Return the kind of each card: those of one kind take and follow the same cards. */
function kindsOf({ homes }: Ruleset): readonly number[] {
  const fits = item(homes, 0);
  const uses = CARDS.map((card) =>
    [...CARDS.map((other) => fits(card, other)), ...[...CARDS, EMPTY].map((top) => fits(top, card))]
      .map(Number)
      .join(""),
  );
  const different = [...new Set(uses)];
  return uses.map((use) => different.indexOf(use));
}

/** Return the cards of a board that are not home, and the remaining passes. */
function passesOf(board: Board): Passes {
  const { ruleset } = board;
  const kinds = kindsOf(ruleset);
  const fits = item(ruleset.homes, 0);
  const foundation = pileAt(board, item(ruleset.foundations, 0));
  const waste = pileAt(board, ruleset.waste ?? -1);
  const cards = [...waste, ...turnedUp(pileAt(board, ruleset.stock)).toReversed()];
  // Omitting absent kinds reduces the number of states.
  const present = [...new Set(cards.map((card) => item(kinds, card)))].sort((a, b) => a - b);
  const samples = present.map((kind) => kinds.indexOf(kind));
  const last = topOf(foundation);
  const known = last === EMPTY ? -1 : present.indexOf(item(kinds, last));
  const tops = known < 0 ? [...samples, last] : samples;
  return {
    kinds: cards.map((card) => present.indexOf(item(kinds, card))),
    before: samples.map((card) => [...tops.keys()].filter((top) => fits(item(tops, top), card))),
    base: tops.length,
    count: ruleset.redeals - board.redeals + 1,
    dealt: waste.length,
    top: known < 0 ? samples.length : known,
  };
}

/**
 * The cards that a walk has brought home at a position: by state and guess, the maximum plus 1; 0
 * if unreached. A guess consists of the final tops of all passes but the last, as the digits of a
 * number.
 */
type Reached = Uint8Array;

function sizes({ base, count }: Passes): { states: number; guesses: number } {
  return { states: base ** count, guesses: base ** (count - 1) };
}

/**
 * Walk over all positions in all ways. Returns, for each position and after the last, the reached
 * states before the block that starts there.
 */
function walk(passes: Passes, blocks: Blocks): Reached[] {
  const { kinds, base } = passes;
  const { states, guesses } = sizes(passes);
  let reached = new Uint8Array(states * guesses);
  const alive = new Uint8Array(states);
  for (let guess = 0; guess < guesses; guess++) {
    const state = passes.top + base * guess;
    reached[state * guesses + guess] = 1;
    alive[state] = 1;
  }
  // The contributions of blocks at their ends; all other ways skip cards.
  const layers = Array.from({ length: kinds.length + 1 }, () => new Map<number, Reached>());
  const walked = [reached];
  for (const [start, kind] of kinds.entries()) {
    for (const [nth, pass] of blocks.entries()) {
      const step = base ** nth;
      for (const [end, found] of item(pass, start)) {
        const layer = item(layers, end);
        for (const [lower, befores] of found) {
          for (let higher = 0; higher < states; higher += base * step) {
            let row: Reached | null = null;
            for (const before of befores) {
              if (alive[higher + before] === 0) continue;
              row ??= rowOf(layer, higher + kind * step + lower, guesses);
              merge(row, 0, reached, (higher + before) * guesses, guesses, end - start);
            }
          }
        }
      }
    }
    reached = reached.slice();
    for (const [state, row] of item(layers, start + 1)) {
      merge(reached, state * guesses, row, 0, guesses, 0);
      alive[state] = 1;
    }
    layers[start + 1] = new Map();
    walked.push(reached);
  }
  return walked;
}

/** Return the row of a state, added if absent. */
function rowOf(layer: Map<number, Reached>, state: number, guesses: number): Reached {
  let row = layer.get(state);
  if (row === undefined) layer.set(state, (row = new Uint8Array(guesses)));
  return row;
}

/** Raise a row to another one after `home` more cards came home, where that is more. */
function merge(
  into: Reached,
  to: number,
  row: Reached,
  from: number,
  guesses: number,
  home: number,
): void {
  for (let guess = 0; guess < guesses; guess++) {
    const before = row[from + guess] as number;
    if (before > 0 && before + home > (into[to + guess] as number)) {
      into[to + guess] = before + home;
    }
  }
}

/** The card at position `start` goes home in pass `nth` at the time `end`. */
interface Play {
  readonly start: number;
  readonly nth: number;
  readonly end: number;
}

/**
 * Return a play that brings the most cards home, in no particular order.
 *
 * Of equally good walks it is the one that ends in the lowest state. Traced back from its end, it
 * skips a card if possible, otherwise it uses the shortest block of the earliest pass, from the
 * lowest state.
 */
function bestPlays(passes: Passes, blocks: Blocks, walked: readonly Reached[]): Play[] {
  const { states, guesses } = sizes(passes);
  const at = (position: number, state: number, guess: number) =>
    item(walked, position)[state * guesses + guess] ?? 0;
  let end = passes.kinds.length;
  let home = 0;
  let state = 0;
  for (let last = 0; last < states; last++) {
    const most = at(end, last, last % guesses);
    if (most > home) [home, state] = [most, last];
  }
  const guess = state % guesses;
  const plays: Play[] = [];
  while (end > 0) {
    if (at(end - 1, state, guess) === home) {
      end -= 1;
      continue;
    }
    for (const { play, before } of arrivals(passes, blocks, end, state, passes.count)) {
      const left = home - end + play.start;
      if (left > 0 && at(play.start, before, guess) === left) {
        plays.push(play, ...playsWithin(passes, blocks, play, before, state));
        [end, state, home] = [play.start, before, left];
        break;
      }
    }
  }
  return plays;
}

/** A block that leads to a state, and the state before it. */
interface Arrival {
  readonly play: Play;
  readonly before: number;
}

/**
 * Yield the blocks of the first `count` passes that end at `end` in a state: the shortest first,
 * then those of the earliest pass, then those from the lowest states.
 */
function* arrivals(
  { kinds, base }: Passes,
  blocks: Blocks,
  end: number,
  state: number,
  count: number,
): Generator<Arrival> {
  for (let start = end - 1; start >= 0; start--) {
    for (let nth = 0; nth < count; nth++) {
      const step = base ** nth;
      if (Math.floor(state / step) % base !== kinds[start]) continue;
      const befores =
        item(item(blocks, nth), start)
          .get(end)
          ?.get(state % step) ?? [];
      const higher = state - (state % (step * base));
      for (const before of [...new Set(befores)].sort((one, other) => one - other)) {
        yield { play: { start, nth, end }, before: higher + before };
      }
    }
  }
}

/**
 * Return plays that clear a block's cards except its first, between the states before and after the
 * block. The search is depth first from the end, in the order of `arrivals`.
 */
function playsWithin(
  passes: Passes,
  blocks: Blocks,
  { start, nth, end }: Play,
  before: number,
  after: number,
): Play[] {
  const { states } = sizes(passes);
  const key = (position: number, state: number) => position * states + state;
  const kind = item(passes.kinds, start);
  const goals = item(passes.before, kind).map((top) => after + (top - kind) * passes.base ** nth);
  const came = new Map<number, { play: Play; after: number } | null>(
    goals.map((goal) => [key(end, goal), null]),
  );
  const left = goals.map((state) => ({ position: end, state })).toReversed();
  const first = key(start + 1, before);
  while (!came.has(first)) {
    const { position, state } = left.pop() ?? { position: 0, state: 0 };
    const next: { position: number; state: number }[] = [];
    for (const arrival of arrivals(passes, blocks, position, state, nth + 1)) {
      const { play } = arrival;
      if (play.start > start && !came.has(key(play.start, arrival.before))) {
        came.set(key(play.start, arrival.before), { play, after: state });
        next.push({ position: play.start, state: arrival.before });
      }
    }
    left.push(...next.toReversed());
  }
  const plays: Play[] = [];
  let position = start + 1;
  let state = before;
  for (;;) {
    const step = came.get(key(position, state));
    if (step == null) return plays;
    plays.push(step.play, ...playsWithin(passes, blocks, step.play, state, step.after));
    position = step.play.end;
    state = step.after;
  }
}

/** Return the moves of a play, up to the last card that goes home. */
function lineOf({ ruleset }: Board, passes: Passes, plays: readonly Play[]): Move[] {
  const { stock: from } = ruleset;
  const onto = ruleset.waste ?? -1;
  const due = new Map(plays.map((play) => [play.start, play]));
  const positions = [...passes.kinds.keys()];
  let waste = positions.slice(0, passes.dealt);
  let stock = positions.slice(passes.dealt).toReversed();
  const line: Move[] = [];
  for (let nth = 0; nth < passes.count && due.size > 0; nth++) {
    if (nth > 0) {
      line.push({ source: onto, target: from, count: 1 });
      [waste, stock] = [[], waste.toReversed()];
    }
    for (;;) {
      const time = stock.at(-1) ?? passes.kinds.length;
      for (;;) {
        const play = due.get(waste.at(-1) ?? -1);
        if (play === undefined || play.nth > nth || (play.nth === nth && play.end > time)) break;
        due.delete(play.start);
        waste.pop();
        line.push({ source: onto, target: item(ruleset.foundations, 0), count: 1 });
      }
      const dealt = stock.pop();
      if (due.size === 0 || dealt === undefined) break;
      waste.push(dealt);
      line.push({ source: from, target: onto, count: 1 });
    }
  }
  return line;
}
