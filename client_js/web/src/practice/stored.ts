/** Practice deals as stored in this browser, one per game. */

import type { Ruleset, TextStorage } from "@samedeal/client";
import { findRuleset, findStoredRuleset } from "../../../src/rules/catalog.ts";
import { checkDeck, isDeck, parseSeed } from "../../../src/rules/deal.ts";
import { EngineError } from "../../../src/rules/errors.ts";
import { STANDARD } from "../../../src/rules/schema.ts";
import { practiceKey } from "../app/practised/last.ts";
import { type StoredRace, readRace } from "./ghostRace.svelte.ts";

const SEED_BYTES = 32;

export interface Beat {
  readonly time: number;
  readonly moves: number;
}

/**
 * The stored form of a deal: its seed in hexadecimal, or a known deal's deck; its moves; the digest
 * of its rules; its variant, unless standard; its race, if any; and the UTC day, if it was that
 * day's daily.
 */
export interface StoredDeal {
  readonly seed: string;
  /** Without undone moves. */
  readonly moves: readonly string[];
  /** By default, the current rules. */
  readonly rules?: string;
  readonly variant?: string;
  readonly race?: StoredRace;
  readonly day?: number;
  /** The numbers of undone moves and of hints, and whether an undo covered a seen card. */
  readonly undos?: number;
  readonly hints?: number;
  readonly peeked?: boolean;
  readonly hint?: string | null;
  /** Milliseconds played. */
  readonly elapsed?: number;
  readonly home?: number;
  /** Whether it is won or at a dead end. */
  readonly over?: boolean;
  /** Whether the statistics include it. */
  readonly counted?: boolean;
  /** A friend's win to beat, in milliseconds and moves. */
  readonly beat?: Beat;
  /** The unfinished deal that this one replaced, until both are settled. */
  readonly previous?: StoredDeal;
}

/** Store a deal in place of the current one; links must use `beginPractice`. */
export function store(deal: StoredDeal, game: string, storage: TextStorage): void {
  storage.setItem(practiceKey(game), JSON.stringify(deal));
}

/** The storage key of a game's winnable deals, which exist while new ones are to be winnable. */
export function winnableKey(game: string): string {
  return `samedeal.winnable.${game}`;
}

/** Whether a game's new deals are to be winnable. */
export function isWished(storage: TextStorage, game: string): boolean {
  return storage.getItem(winnableKey(game)) !== null;
}

export function newSeed(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SEED_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function storedDeal(game: string, storage: TextStorage): StoredDeal | null {
  return readStored(storage.getItem(practiceKey(game)));
}

/** Parse a deal from stored JSON; null if it is missing or malformed. */
function readStored(text: string | null): StoredDeal | null {
  try {
    const found = JSON.parse(text ?? "null") as StoredDeal;
    const previous = found.previous && readDeal(found.previous);
    return { ...readDeal(found), ...(previous && { previous }) };
  } catch {
    return null;
  }
}

/** Check a deal; throw any error if it is malformed. */
function readDeal(found: StoredDeal): StoredDeal {
  const { seed, moves, rules, variant, race, day, peeked, hint, over, counted, beat } = found;
  parseSeed(seed);
  const played = moves.filter((move) => typeof move === "string");
  const ghost = readRace(race);
  return {
    ...{ seed, moves: played, undos: count(found.undos), hints: count(found.hints) },
    ...{ peeked: peeked === true, hint: typeof hint === "string" ? hint : null },
    ...{ elapsed: count(found.elapsed), home: count(found.home) },
    ...{ over: over === true, counted: counted === true },
    ...(typeof rules === "string" && { rules }),
    ...(typeof variant === "string" && { variant }),
    ...(ghost && { race: ghost }),
    ...(Number.isInteger(day) && { day: day as number }),
    ...(beat && { beat: { time: count(beat.time), moves: count(beat.moves) } }),
  };
}

function count(stored: unknown): number {
  return Number.isInteger(stored) ? Math.max(0, stored as number) : 0;
}

/** Return a stored deal's rules; null if they are no longer known, or do not match its cards. */
export function rulesOf(game: string, { rules, seed, variant }: StoredDeal): Ruleset | null {
  try {
    const found =
      rules === undefined
        ? findRuleset(game, variant)
        : findStoredRuleset(game, variant ?? STANDARD, rules);
    const cards = parseSeed(seed);
    if (isDeck(cards)) checkDeck(found, [...cards]);
    return found;
  } catch (error) {
    if (error instanceof EngineError) return null;
    throw error;
  }
}
