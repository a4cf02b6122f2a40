/** Practice deals as stored in this browser, one per game. */

import type { Ruleset, TextStorage } from "@samedeal/client";
import { findRuleset, findStoredRuleset } from "../../../src/rules/catalog.ts";
import { checkDeck, isDeck, parseSeed } from "../../../src/rules/deal.ts";
import { EngineError } from "../../../src/rules/errors.ts";
import { STANDARD } from "../../../src/rules/schema.ts";
import { type StoredRace, readRace } from "./ghostRace.svelte.ts";

const SEED_BYTES = 32;

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
}

function keyOf(game: string): string {
  return `samedeal.practice.${game}`;
}

/** Store a deal in place of the current one; links must use `beginPractice`. */
export function store(deal: StoredDeal, game: string, storage: TextStorage): void {
  storage.setItem(keyOf(game), JSON.stringify(deal));
}

export function newSeed(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SEED_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function storedDeal(game: string, storage: TextStorage): StoredDeal | null {
  return readStored(storage.getItem(keyOf(game)));
}

/** Parse a deal from stored JSON; null if it is missing or malformed. */
function readStored(text: string | null): StoredDeal | null {
  try {
    const { seed, moves, rules, variant, race, day, ...help } = JSON.parse(
      text ?? "null",
    ) as StoredDeal;
    parseSeed(seed);
    const played = moves.filter((move) => typeof move === "string");
    const found = readRace(race);
    return {
      ...{ seed, moves: played, undos: count(help.undos), hints: count(help.hints) },
      ...{ peeked: help.peeked === true, hint: typeof help.hint === "string" ? help.hint : null },
      ...(typeof rules === "string" && { rules }),
      ...(typeof variant === "string" && { variant }),
      ...(found && { race: found }),
      ...(Number.isInteger(day) && { day: day as number }),
    };
  } catch {
    return null;
  }
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
