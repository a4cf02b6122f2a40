/** The course of dailies: the cards home by time, as played in this browser. */

import type { Client, Replay, TextStorage } from "@samedeal/client";

/** Changes of the cards home, with milliseconds since the start; at 0 for the dealt cards. */
export type Course = readonly (readonly [time: number, home: number])[];

interface Stored {
  readonly deal: string;
  readonly course: Course;
}

/**
 * The course of each game's last daily, in this browser's storage. It is shown right after the
 * attempt, but the server reveals an attempt's moves only once its deal is closed.
 */
export class Courses {
  readonly #storage: TextStorage;

  constructor(client: Pick<Client, "attempt">, storage: TextStorage) {
    this.#storage = storage;
    client.attempt.subscribe((attempt) => {
      // A race has a replay as soon as it is over.
      if (typeof attempt?.day !== "number") return;
      const { home, time } = attempt.result;
      this.#note(attempt.game, attempt.deal, time, home);
    });
  }

  /** Return the course of a deal; null if it was not played here. */
  of(game: string, deal: string): Course | null {
    const stored = readCourse(this.#storage.getItem(keyOf(game)));
    return stored?.deal === deal ? stored.course : null;
  }

  #note(game: string, deal: string, time: number, home: number): void {
    const known = this.of(game, deal) ?? [];
    const last = known.at(-1);
    // Only new maxima count: cards may go back, and a resumed attempt repeats its result.
    if (last !== undefined && (home <= last[1] || time <= last[0])) return;
    const stored: Stored = { deal, course: [...known, [time, home]] };
    this.#storage.setItem(keyOf(game), JSON.stringify(stored));
  }
}

export function courseOf({ times, home }: Pick<Replay, "times" | "home">): Course {
  return home.flatMap((cards, move): [number, number][] =>
    move === 0 || cards !== home[move - 1] ? [[times[move] ?? 0, cards]] : [],
  );
}

/** Return the cards home at a time in milliseconds since the start. */
export function homeAt(course: Course, time: number): number {
  return course.findLast(([at]) => at <= time)?.[1] ?? 0;
}

/** Parse a course from stored JSON; null if it is missing or malformed. */
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
