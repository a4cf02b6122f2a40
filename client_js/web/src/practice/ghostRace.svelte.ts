/** A race against a ghost: the time played, and when each of the player's own moves was. */

import type { Ghost } from "./ghost.ts";

/** Milliseconds between two ticks after which the board was not shown in between. */
const GAP = 1_250;

/** The stored form of a race. */
export interface StoredRace {
  readonly ghost: Ghost;
  /** Milliseconds played until each move, and in all. */
  readonly times: readonly number[];
  readonly elapsed: number;
  readonly stopped: boolean;
}

/**
 * It has no clock of its own: time passes only while the board is shown and can be played. The
 * player may stop it, and go on later.
 */
export class GhostRace {
  readonly ghost: Ghost;
  /** Milliseconds played. */
  elapsed = $state(0);
  stopped = $state(false);
  /** Milliseconds played until each move. */
  #times: readonly number[];
  /** When the last tick was; null if time does not pass. */
  #ticked: number | null = null;

  constructor({ ghost, times, elapsed, stopped }: StoredRace) {
    this.ghost = ghost;
    this.elapsed = elapsed;
    this.stopped = stopped;
    this.#times = times;
  }

  get stored(): StoredRace {
    const { ghost, elapsed, stopped } = this;
    return { ghost, times: this.#times, elapsed, stopped };
  }

  /**
   * Let the time since the last tick pass, at the milliseconds `now` of some clock. It does not
   * count after a pause, or if the ticks were interrupted.
   */
  tick(now: number): void {
    const passed = now - (this.#ticked ?? now);
    this.#ticked = now;
    if (passed < GAP) this.advance(passed);
  }

  /** Let no time pass until the next tick. */
  pause(): void {
    this.#ticked = null;
  }

  /** Let so many milliseconds pass. */
  advance(milliseconds: number): void {
    this.elapsed += milliseconds;
  }

  /** Note that the player has made a move just now. */
  played(): void {
    this.#times = [...this.#times, Math.round(this.elapsed)];
  }

  /** Forget when the moves after so many first ones were. The time that they took has passed. */
  keep(moves: number): void {
    this.#times = this.#times.slice(0, moves);
  }

  /** Start again, from time 0. */
  restart(): void {
    this.#times = [];
    this.elapsed = 0;
    this.stopped = false;
  }

  /** Milliseconds played until a move; 0 for move 0, the board as dealt. */
  timeOf(move: number): number {
    return this.#times[move - 1] ?? 0;
  }
}

/** A new race against a ghost. */
export function against(ghost: Ghost): StoredRace {
  return { ghost, times: [], elapsed: 0, stopped: false };
}

/** The race in a stored value, or null if there is none or it is malformed. */
export function readRace(value: unknown): StoredRace | null {
  if (typeof value !== "object" || value === null) return null;
  const { ghost, times, elapsed, stopped } = value as Partial<StoredRace>;
  if (!isGhost(ghost) || !Array.isArray(times) || !times.every(isTime)) return null;
  return isTime(elapsed) ? { ghost, times, elapsed, stopped: stopped === true } : null;
}

function isTime(value: unknown): value is number {
  return Number.isFinite(value);
}

/** Whether a stored value is a ghost, and not something malformed. */
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
