/**
 * Statistics of practice in this browser's storage, per game and variant. They are separate from
 * races and dailies, whose results the server has. Figures of a kept identity follow it
 * (`following.ts`).
 */

import { games, type TextStorage } from "@samedeal/client";
import { isChanges } from "../../../../src/rules/changes.ts";

/** A deal that was won or left: whether won, cards home, milliseconds played, and moves. */
export type Counted = readonly [won: boolean, home: number, time: number, moves: number];

export interface Figures {
  readonly played: number;
  readonly won: number;
  /** The wins in a row: up to now, and the most ever. */
  readonly streak: number;
  readonly longest: number;
  /** The most cards home. */
  readonly home: number;
  /** The shortest time of a win in milliseconds, and the fewest moves; null without a win. */
  readonly time: number | null;
  readonly moves: number | null;
  /** The latest deals, oldest first. */
  readonly deals: readonly Counted[];
}

/** The number of deals stored individually. */
const MOST_DEALS = 100;

/** The number of variants with custom rules stored per game. */
const MOST_OWN = 20;

/** The number of latest deals that a trend compares with earlier ones. */
const LATEST = 10;

export const noFigures: Figures = {
  ...{ played: 0, won: 0, streak: 0, longest: 0, home: 0, time: null, moves: null, deals: [] },
};

function keyOf(game: string): string {
  return `samedeal.figures.${game}`;
}

/** Return a game's statistics by variant; malformed ones are dropped. */
export function figuresOf(storage: TextStorage, game: string): ReadonlyMap<string, Figures> {
  try {
    const found: unknown = JSON.parse(storage.getItem(keyOf(game)) ?? "{}");
    const entries = Object.entries(found as Record<string, unknown>);
    return new Map(entries.filter((entry): entry is [string, Figures] => isFigures(entry[1])));
  } catch {
    return new Map();
  }
}

/** Add a deal to the statistics of its variant, and return them. */
export function countDeal(
  storage: TextStorage,
  game: string,
  variant: string,
  deal: Counted,
): Figures {
  const counted = added(figuresOf(storage, game).get(variant) ?? noFigures, deal);
  storeFigures(storage, game, variant, counted);
  return counted;
}

/** Replace the statistics of a variant. */
export function storeFigures(
  storage: TextStorage,
  game: string,
  variant: string,
  figures: Figures,
): void {
  const all = new Map(figuresOf(storage, game));
  // The variant played last is the last one.
  all.delete(variant);
  all.set(variant, figures);
  const own = [...all.keys()].filter(isChanges);
  for (const old of own.slice(0, -MOST_OWN)) all.delete(old);
  storage.setItem(keyOf(game), JSON.stringify(Object.fromEntries(all)));
}

/** Drop the statistics of all listed variants, but not of custom rules. */
export function dropFigures(storage: TextStorage): void {
  for (const { id } of games) {
    const own = [...figuresOf(storage, id)].filter(([variant]) => isChanges(variant));
    if (own.length === 0) storage.removeItem(keyOf(id));
    else storage.setItem(keyOf(id), JSON.stringify(Object.fromEntries(own)));
  }
}

/** Return statistics with one more deal. */
export function added(figures: Figures, deal: Counted): Figures {
  const [won, home, time, moves] = deal;
  const streak = won ? figures.streak + 1 : 0;
  return {
    played: figures.played + 1,
    won: figures.won + Number(won),
    streak,
    longest: Math.max(figures.longest, streak),
    home: Math.max(figures.home, home),
    time: won ? Math.min(time, figures.time ?? Infinity) : figures.time,
    moves: won ? Math.min(moves, figures.moves ?? Infinity) : figures.moves,
    deals: [...figures.deals, deal].slice(-MOST_DEALS),
  };
}

/** Return the figures of some deals followed by others, as the server computes them. */
export function joined(earlier: Figures, later: Figures): Figures {
  const { played, won, streak } = later;
  const allWon = won === played;
  const firstLost = later.deals.findIndex(([each]) => !each);
  // The start of long figures is not known deal by deal.
  const begun = allWon ? won : later.deals.length < played ? 0 : firstLost;
  return {
    played: earlier.played + played,
    won: earlier.won + won,
    streak: allWon ? earlier.streak + streak : streak,
    longest: Math.max(earlier.longest, later.longest, earlier.streak + begun),
    home: Math.max(earlier.home, later.home),
    time: least(earlier.time, later.time),
    moves: least(earlier.moves, later.moves),
    deals: [...earlier.deals, ...later.deals].slice(-MOST_DEALS),
  };
}

function least(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** Return the median time of the latest wins in milliseconds; null without a win. */
export function typicalTime({ deals }: Figures): number | null {
  return median(deals.flatMap(([won, , time]) => (won ? [time] : [])));
}

/** Return the median number of cards home in the latest deals; null without a deal. */
export function typicalHome({ deals }: Figures): number | null {
  return median(deals.map(([, home]) => home));
}

/**
 * Return the shares of wins in the latest deals and in those before, from 0 to 1; null with too few
 * deals for a comparison.
 */
export function trendOf({
  deals,
}: Figures): { readonly now: number; readonly before: number } | null {
  if (deals.length < 2 * LATEST) return null;
  return { now: shareWon(deals.slice(-LATEST)), before: shareWon(deals.slice(0, -LATEST)) };
}

function shareWon(deals: readonly Counted[]): number {
  return deals.filter(([won]) => won).length / deals.length;
}

function median(values: readonly number[]): number | null {
  return [...values].sort((one, other) => one - other)[Math.floor((values.length - 1) / 2)] ?? null;
}

/** Return all statistics for an export, by game and variant. */
export function allFigures(storage: TextStorage): Record<string, Record<string, Figures>> {
  const found = games.map(({ id }) => [id, Object.fromEntries(figuresOf(storage, id))] as const);
  return Object.fromEntries(found.filter(([, variants]) => Object.keys(variants).length > 0));
}

export function isFigures(found: unknown): found is Figures {
  if (typeof found !== "object" || found === null) return false;
  const { played, won, streak, longest, home, time, moves, deals } = found as Partial<Figures>;
  return (
    [played, won, streak, longest, home, time ?? 0, moves ?? 0].every(isCount) &&
    Array.isArray(deals) &&
    deals.every(isCounted)
  );
}

function isCounted(found: unknown): found is Counted {
  return Array.isArray(found) && typeof found[0] === "boolean" && found.slice(1).every(isCount);
}

function isCount(found: unknown): boolean {
  return typeof found === "number" && found >= 0;
}
