/**
 * "Winnable deals only" in practice. The solver in this browser finds the deals, without the server
 * and its certified deals: they are random, need no connection, and cost nobody else anything. While
 * a deal is played, the next one is found in advance.
 */

import type { Ruleset, TextStorage } from "@samedeal/client";
import { whenIdle } from "../../kit/idle.ts";
import type { Solver } from "../../solver/asking.ts";
import { text } from "../../text/index.ts";
import { isWished, newSeed, winnableKey } from "../stored.ts";

/** The most deals tried in one search; in hard games this takes half a minute on a phone. */
const CANDIDATES = 24;

/** The most deals found in advance per game, one per variant. */
const MOST_READY = 3;

/** The number of dealt ones remembered per game: the current deal, and the one that undo restores. */
const MOST_DEALT = 4;

/** The solver, as far as needed here. */
type Finder = Pick<Solver, "ask" | "stop">;

/** A deal found in advance, by its rules. */
interface Ready {
  readonly variant: string;
  readonly rules: string;
  readonly seed: string;
}

/** A game's stored deals; they exist while the player wishes winnable deals. */
interface Stored {
  readonly ready: readonly Ready[];
  /** The seeds of winnable deals that were dealt, the latest last. */
  readonly dealt: readonly string[];
}

/** Set whether a game's new deals are to be winnable. */
export function wishWinnable(storage: TextStorage, game: string, yes: boolean): void {
  if (yes) write(storage, game, { ready: [], dealt: [] });
  else storage.removeItem(winnableKey(game));
}

/** Return a notice that a deal may not be winnable, because none was found. */
export function noneWords(): string {
  return text.solo.noneWinnable;
}

/** Whether a deal was dealt as a winnable one. */
export function isFound(storage: TextStorage, game: string, seed: string): boolean {
  return read(storage, game).dealt.includes(seed);
}

/**
 * Return the seed of a winnable deal by these rules: one found in advance, or the first one found
 * now. Null if none was found, or if the solver cannot be loaded.
 */
export async function winnableSeed(
  ruleset: Ruleset,
  storage: TextStorage,
  load: () => Promise<Finder> = loadFinder,
): Promise<string | null> {
  const { game } = ruleset;
  const ready = read(storage, game).ready.find((each) => isFor(each, ruleset));
  const seed = ready?.seed ?? (await search(ruleset, load));
  if (seed === null) return null;
  if (isWished(storage, game)) {
    const now = read(storage, game);
    write(storage, game, {
      ready: now.ready.filter((each) => each.seed !== seed),
      dealt: [...now.dealt, seed].slice(-MOST_DEALT),
    });
  }
  return seed;
}

/** Find a deal by these rules in advance, unless there is one. */
export async function prepare(
  ruleset: Ruleset,
  storage: TextStorage,
  load: () => Promise<Finder> = loadFinder,
): Promise<void> {
  const { game, variant, digest: rules } = ruleset;
  const isReady = () => read(storage, game).ready.some((each) => isFor(each, ruleset));
  if (isReady()) return;
  const seed = await search(ruleset, load);
  // The player may have changed the choice meanwhile.
  if (seed === null || !isWished(storage, game) || isReady()) return;
  const { ready, dealt } = read(storage, game);
  const all = [...ready.filter((each) => each.variant !== variant), { variant, rules, seed }];
  write(storage, game, { ready: all.slice(-MOST_READY), dealt });
}

/** Do so once the browser is idle. */
export function prepareSoon(ruleset: Ruleset, storage: TextStorage): void {
  whenIdle(() => void prepare(ruleset, storage));
}

async function loadFinder(): Promise<Finder> {
  return (await import("../../solver/index.ts")).dealFinder;
}

async function search(ruleset: Ruleset, load: () => Promise<Finder>): Promise<string | null> {
  const { game, variant, digest: rules } = ruleset;
  const seeds = Array.from({ length: CANDIDATES }, newSeed);
  const finder = await load().catch(() => null);
  if (finder === null) return null;
  return new Promise((resolve) => {
    finder.ask({ kind: "deal", game, variant, rules, seeds }, (answer) => {
      // It uses much memory, and the next question comes minutes later. A newer question of this
      // kind goes on.
      if (answer.kind === "deal") finder.stop();
      resolve(answer.kind === "deal" ? answer.seed : null);
    });
  });
}

function isFor(ready: Ready, { variant, digest }: Ruleset): boolean {
  return ready.variant === variant && ready.rules === digest;
}

/** Return a game's stored deals; malformed ones are dropped. */
function read(storage: TextStorage, game: string): Stored {
  try {
    const { ready, dealt } = JSON.parse(storage.getItem(winnableKey(game)) ?? "{}") as {
      readonly [Key in keyof Stored]?: unknown;
    };
    return {
      ready: Array.isArray(ready) ? ready.filter(isDeal) : [],
      dealt: Array.isArray(dealt) ? dealt.filter((each) => typeof each === "string") : [],
    };
  } catch {
    return { ready: [], dealt: [] };
  }
}

function isDeal(found: Partial<Ready> | null): found is Ready {
  return /^[0-9a-f]{64}$/.test(found?.seed ?? "");
}

function write(storage: TextStorage, game: string, stored: Stored): void {
  storage.setItem(winnableKey(game), JSON.stringify(stored));
}
