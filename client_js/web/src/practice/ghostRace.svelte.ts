/** A race against a ghost: the time played, and the times of the player's moves. */

import type { Ghost } from "./ghost.ts";
import { Stopwatch } from "./stopwatch.svelte.ts";

export interface StoredRace {
  readonly ghost: Ghost;
  /** Milliseconds played until each move, and in total. */
  readonly times: readonly number[];
  readonly elapsed: number;
  readonly stopped: boolean;
}

/** The player may stop the race and continue later. */
export class GhostRace extends Stopwatch {
  readonly ghost: Ghost;
  stopped = $state(false);
  /** Milliseconds played until each move. */
  #times: readonly number[];

  constructor({ ghost, times, elapsed, stopped }: StoredRace) {
    super();
    this.ghost = ghost;
    this.elapsed = elapsed;
    this.stopped = stopped;
    this.#times = times;
  }

  get stored(): StoredRace {
    const { ghost, elapsed, stopped } = this;
    return { ghost, times: this.#times, elapsed, stopped };
  }

  /** Record a move of the player at the current time. */
  played(): void {
    this.#times = [...this.#times, Math.round(this.elapsed)];
  }

  /** Drop the times of all but the first moves. The elapsed time stays. */
  keep(moves: number): void {
    this.#times = this.#times.slice(0, moves);
  }

  /** Start again from time 0. */
  restart(): void {
    this.#times = [];
    this.elapsed = 0;
    this.stopped = false;
  }

  /** Return the milliseconds played until a move; 0 for move 0, the board as dealt. */
  timeOf(move: number): number {
    return this.#times[move - 1] ?? 0;
  }
}

export function against(ghost: Ghost): StoredRace {
  return { ghost, times: [], elapsed: 0, stopped: false };
}

/** Parse the race in a stored value; null if it is missing or malformed. */
export function readRace(value: unknown): StoredRace | null {
  if (typeof value !== "object" || value === null) return null;
  const { ghost, times, elapsed, stopped } = value as Partial<StoredRace>;
  if (!isGhost(ghost) || !Array.isArray(times) || !times.every(isTime)) return null;
  return isTime(elapsed) ? { ghost, times, elapsed, stopped: stopped === true } : null;
}

function isTime(value: unknown): value is number {
  return Number.isFinite(value);
}

function isGhost(value: unknown): value is Ghost {
  if (typeof value !== "object" || value === null) return false;
  const { attempt, player, name, steps, ended, result } = value as Partial<Ghost>;
  return (
    [attempt, player, name].every((word) => typeof word === "string") &&
    Array.isArray(steps) &&
    steps.every(
      (step) => Array.isArray(step) && step.length === 2 && step.every(Number.isFinite),
    ) &&
    Number.isFinite(ended) &&
    [result?.home, result?.left, result?.time, result?.moves].every(Number.isFinite)
  );
}
