/** How a daily went on: the cards home by time, as far as they were played in this browser. */

import type { Client, Replay, TextStorage } from "@samedeal/client";

/**
 * The cards home from each time on at which they changed, in milliseconds since the start; the
 * first at 0, for the cards as dealt.
 */
export type Course = readonly (readonly [time: number, home: number])[];

interface Stored {
  readonly deal: string;
  readonly course: Course;
}

/**
 * The courses of each game's last daily, in this browser's storage. The server tells an attempt's
 * moves to nobody before its deal is closed, and this is wanted as soon as it is over.
 */
export class Courses {
  readonly #storage: TextStorage;

  constructor(client: Pick<Client, "attempt">, storage: TextStorage) {
    this.#storage = storage;
    client.attempt.subscribe((attempt) => {
      // Of a race there is a replay as soon as it is over.
      if (typeof attempt?.day !== "number") return;
      const { home, time } = attempt.result;
      this.#note(attempt.game, attempt.deal, time, home);
    });
  }

  /** The course of a deal of a game; null if it was not played here. */
  of(game: string, deal: string): Course | null {
    const stored = readCourse(this.#storage.getItem(keyOf(game)));
    return stored?.deal === deal ? stored.course : null;
  }

  #note(game: string, deal: string, time: number, home: number): void {
    const known = this.of(game, deal) ?? [];
    const last = known.at(-1);
    if (last !== undefined && (home <= last[1] || time <= last[0])) return;
    const stored: Stored = { deal, course: [...known, [time, home]] };
    this.#storage.setItem(keyOf(game), JSON.stringify(stored));
  }
}

/** The course of a run. */
export function courseOf({ times, home }: Pick<Replay, "times" | "home">): Course {
  return home.flatMap((cards, move): [number, number][] =>
    move === 0 || cards !== home[move - 1] ? [[times[move] ?? 0, cards]] : [],
  );
}

/** The cards home at a time in milliseconds since the start. */
export function homeAt(course: Course, time: number): number {
  return course.findLast(([at]) => at <= time)?.[1] ?? 0;
}

/** The course in stored JSON, or null if there is none or it is malformed. */
export function readCourse(text: string | null): Stored | null {
  try {
    const { deal, course } = JSON.parse(text ?? "null") as Stored;
    const steps = course.every(([time, home]) => Number.isFinite(time) && Number.isFinite(home));
    return typeof deal === "string" && steps ? { deal, course } : null;
  } catch {
    return null;
  }
}

function keyOf(game: string): string {
  return `samedeal.course.${game}`;
}
