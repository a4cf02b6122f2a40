/** Commands that wait for their answers, across sessions where that is safe. */

import type { Answers, Command, CommandFields, CommandType, Event, EventOf } from "./protocol.ts";
import { Refusal, disconnected } from "./refusal.ts";

/** The most commands that wait for an answer at a time; more are refused with `too_fast`. */
export const MOST_WAITING = 100;

/**
 * Commands that may be sent again when their answer went under with a session: sent twice, they do
 * what they do once. All others are refused with `disconnected`.
 */
const REPEATABLE: ReadonlySet<CommandType> = new Set([
  "room.create", // by its key
  "room.join",
  "attempt.open",
  "daily.list",
  "daily.open",
  "leaderboard.watch",
  "deal.show",
]);

interface Waiting {
  readonly type: CommandType;
  readonly fields: object;
  readonly repeats: boolean;
  /** Null for a command whose sender looks after lost answers itself. */
  readonly settle: { resolve(event: Event): void; reject(reason: Refusal): void } | null;
}

export class Requests {
  readonly #send: (command: Command) => void;
  readonly #sent = new Map<number, Waiting>();
  #kept: Waiting[] = [];
  #open = false;
  #lastId = 0;

  /** `send` is called only from within calls of `tell`, of `opened` and, while open, of `ask`. */
  constructor(send: (command: Command) => void) {
    this.#send = send;
  }

  /**
   * Send a command, now or, if it may be repeated, when a session is open; rejects with a `Refusal`.
   *
   * @param repeats whether it is sent again when its answer went under with a session.
   */
  ask<T extends CommandType>(
    type: T,
    fields: CommandFields[T],
    repeats = REPEATABLE.has(type),
  ): Promise<Answers[T]> {
    return new Promise((resolve, reject) => {
      const settle = { resolve: resolve as (event: Event) => void, reject };
      const waiting: Waiting = { type, fields, repeats, settle };
      if (this.#sent.size + this.#kept.length >= MOST_WAITING) {
        reject(new Refusal("too_fast", "Too many commands are waiting for their answers."));
      } else if (this.#open) {
        this.#sendOff(waiting);
      } else if (repeats) {
        this.#kept.push(waiting);
      } else {
        reject(disconnected());
      }
    });
  }

  /** Send a command on the socket that is there, and return its id; its answer is but an event. */
  tell<T extends CommandType>(type: T, fields: CommandFields[T]): number {
    return this.#sendOff({ type, fields, repeats: false, settle: null });
  }

  /** Settle what an event answers; returns the type of that command, or null. */
  answered(event: Event): CommandType | null {
    const waiting = event.re === undefined ? undefined : this.#sent.get(event.re);
    if (event.re === undefined || waiting === undefined) return null;
    this.#sent.delete(event.re);
    if (event.type === "refused") waiting.settle?.reject(refusalOf(event));
    else waiting.settle?.resolve(event);
    return waiting.type;
  }

  /** The session is open: send what `resume` asks, then what was kept for it. */
  opened(resume: () => void): void {
    this.#open = true;
    const kept = this.#kept;
    this.#kept = [];
    resume();
    kept.forEach((waiting) => this.#sendOff(waiting));
  }

  /** The session is lost: keep what can be sent again, refuse the rest. */
  lost(): void {
    this.#open = false;
    const sent = [...this.#sent.values()];
    this.#sent.clear();
    for (const waiting of sent) {
      if (waiting.repeats) this.#kept.push(waiting);
      else waiting.settle?.reject(disconnected());
    }
  }

  /** No session will come by itself: refuse everything. */
  abandon(): void {
    this.lost();
    const kept = this.#kept;
    this.#kept = [];
    kept.forEach((waiting) => waiting.settle?.reject(disconnected()));
  }

  #sendOff(waiting: Waiting): number {
    const id = ++this.#lastId;
    this.#sent.set(id, waiting);
    this.#send({ type: waiting.type, id, ...waiting.fields } as Command);
    return id;
  }
}

function refusalOf({ code, text }: EventOf<"refused">): Refusal {
  return new Refusal(code, text);
}
